//! Events on disk: `runs/<runId>/{run.json, events.jsonl}`. Bytes and files only; what a stream of
//! events means, and how a broken one is mended, lives in `run`.

pub(crate) mod envelope;
pub(crate) mod folder;
pub(crate) mod key_file;
mod reader;
pub(crate) mod sink;
pub(crate) mod store;
mod syncer;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as os;
#[cfg(windows)]
use windows as os;

pub use reader::EventReader;
pub(crate) use reader::{Place, Source};

use std::path::PathBuf;

use od_protocol::{DoneStatus, ErrorKind, RunEventParams};
use serde::{Deserialize, Serialize};

/// How a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// It waits for its turn.
    Queued,
    /// It is going on.
    Running,
    /// The agent said that it is done.
    Completed,
    /// Something went wrong.
    Failed,
    /// It was told to stop.
    Cancelled,
    /// A limit of time ran out.
    TimedOut,
}

impl RunStatus {
    /// It is not over: somebody owns it, and `done` is still to come.
    pub const fn is_alive(self) -> bool {
        matches!(self, Self::Queued | Self::Running)
    }
}

impl From<DoneStatus> for RunStatus {
    fn from(status: DoneStatus) -> Self {
        match status {
            DoneStatus::Completed => Self::Completed,
            DoneStatus::Cancelled => Self::Cancelled,
            DoneStatus::TimedOut => Self::TimedOut,
            _ => Self::Failed,
        }
    }
}

/// The process that owns a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunOwner {
    /// Its pid.
    pub pid: u32,
    /// When it started, in milliseconds since 1970: a pid alone may be used again.
    pub started_at: u64,
}

/// `run.json`: what a list of runs shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunRecord {
    /// The run.
    pub run_id: String,
    /// The agent that has it now, or had it last.
    pub agent: String,
    /// The agent it began with, when another has taken over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_agent: Option<String>,
    /// The adapter's executable.
    pub adapter_path: PathBuf,
    /// The adapter's version.
    pub adapter_version: String,
    /// Where the agent works.
    pub cwd: PathBuf,
    /// The first line of the prompt, shortened.
    pub prompt_preview: String,
    /// The model that was asked for.
    pub model: Option<String>,
    /// In milliseconds since 1970; while it is queued, since when it waits.
    pub started_at: u64,
    /// In milliseconds since 1970; null while it is going on.
    pub ended_at: Option<u64>,
    /// The host process that owns it.
    pub host: RunOwner,
    /// How it stands.
    pub status: RunStatus,
    /// With `failed` and `timed_out`: what went wrong.
    pub error_kind: Option<ErrorKind>,
    /// The native session: what `--resume` takes.
    pub session_id: Option<String>,
    /// The disk was full: the journal gets its end when it is next looked at.
    #[serde(default)]
    pub lacks_end: bool,
    /// How many attempts there were so far, the first included; 0 while it is queued.
    #[serde(default = "one")]
    pub attempts: u32,
    /// Who asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The client's own name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What `key` stands for: the hash of what was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_hash: Option<String>,
    /// The span of the caller, as W3C writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
}

impl RunRecord {
    /// The model that was asked for, when it was asked of this agent: it is one of the first agent's.
    pub(crate) fn asked_model(&self, agent: &str) -> Option<&str> {
        let first = self.first_agent.as_ref().unwrap_or(&self.agent);
        self.model.as_deref().filter(|_| agent == first)
    }
}

/// Records that were written before attempts were counted had one.
const fn one() -> u32 {
    1
}

/// One event of a journal, its bytes exactly as the adapter wrote them.
#[derive(Debug, Clone, Copy)]
pub struct JournalEvent<'a> {
    /// Its number.
    pub seq: u64,
    /// The word in `event.type`.
    pub type_name: &'a str,
    /// The envelope (`{"runId":…,"seq":…,"ts":…,"event":{…}}`), without a line end.
    pub bytes: &'a [u8],
}

impl JournalEvent<'_> {
    /// Reads the whole event.
    ///
    /// # Errors
    /// When a known type has a malformed payload.
    pub fn parse(&self) -> Result<RunEventParams, serde_json::Error> {
        serde_json::from_slice(self.bytes)
    }
}
