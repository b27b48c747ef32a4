//! Events on disk: `runs/<runId>/{run.json, events.jsonl}`. Bytes and files only: `run` interprets events and
//! repairs an incomplete stream.

pub(crate) mod envelope;
pub(crate) mod folder;
pub(crate) mod key_file;
mod reader;
mod settle;
pub(crate) mod store;
mod syncer;
pub(crate) mod writer;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as os;
#[cfg(windows)]
use windows as os;

pub use reader::EventReader;
#[cfg(feature = "serve")]
pub(crate) use reader::Position;
pub(crate) use reader::Source;
pub(crate) use settle::{SettleRun, settle_in_background};

use std::path::PathBuf;

use od_protocol::{Done, DoneStatus, ErrorKind, RunEventParams};
use serde::{Deserialize, Serialize};

/// The status of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// It waits in the queue.
    Queued,
    /// An agent works on it.
    Running,
    /// The agent finished the task.
    Completed,
    /// It ended with an error.
    Failed,
    /// It was cancelled.
    Cancelled,
    /// A time limit was reached.
    TimedOut,
}

impl RunStatus {
    /// Whether the run has not ended: a process owns it, and `done` is not written.
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
    /// When it started, in milliseconds since 1970: the system reuses pids.
    pub started_at: u64,
}

/// `run.json`: the facts that a list of runs shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunRecord {
    /// The run.
    pub run_id: String,
    /// The agent of the current or last attempt.
    pub agent: String,
    /// The agent of the first attempt, when it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_agent: Option<String>,
    /// The adapter's executable.
    pub adapter_path: PathBuf,
    /// The adapter's version.
    pub adapter_version: String,
    /// The working folder of the agent.
    pub cwd: PathBuf,
    /// The first line of the prompt, shortened.
    pub prompt_preview: String,
    /// The requested model.
    pub model: Option<String>,
    /// In milliseconds since 1970; while it is queued, when it was queued.
    pub started_at: u64,
    /// In milliseconds since 1970; null until it has ended.
    pub ended_at: Option<u64>,
    /// The host process that owns it.
    pub host: RunOwner,
    /// Its status.
    pub status: RunStatus,
    /// The error kind of `failed` and `timed_out`.
    pub error_kind: Option<ErrorKind>,
    /// The native session, for `--resume`.
    pub session_id: Option<String>,
    /// The disk was full: `done` is added to the journal when the run is next read.
    #[serde(default)]
    pub lacks_end: bool,
    /// The number of attempts so far; 0 while it is queued.
    #[serde(default = "one")]
    pub attempts: u32,
    /// The client that started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The client's idempotency key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The hash of the request that `key` belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_hash: Option<String>,
    /// The client's span in W3C format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
}

impl RunRecord {
    /// The run has ended and its journal is complete.
    pub(crate) fn is_closed(&self) -> bool {
        !self.status.is_alive() && !self.lacks_end
    }

    /// When the run itself started: the time in the queue does not count.
    pub(crate) fn run_started_at(&self, now: u64) -> u64 {
        if self.status == RunStatus::Queued { now } else { self.started_at }
    }

    /// Records how the run ended.
    pub(crate) fn set_end(&mut self, done: &Done, now: u64) {
        self.ended_at = Some(self.run_started_at(now).saturating_add(done.duration_ms));
        self.status = done.status.into();
        self.error_kind = done.error_kind.clone();
        self.session_id = done.session_id.clone().or(self.session_id.take());
    }

    /// The requested model, if it was requested for this agent: it belongs to the first agent.
    pub(crate) fn requested_model(&self, agent: &str) -> Option<&str> {
        let first = self.first_agent.as_ref().unwrap_or(&self.agent);
        self.model.as_deref().filter(|_| agent == first)
    }
}

#[cfg(test)]
impl RunRecord {
    /// A running run of the agent `x`.
    pub(crate) fn running(run_id: &str) -> Self {
        serde_json::from_value(serde_json::json!({
            "runId": run_id, "agent": "x", "adapterPath": "x", "adapterVersion": "1", "cwd": "/",
            "promptPreview": "", "model": null, "startedAt": 1, "endedAt": null,
            "host": {"pid": 1, "startedAt": 1}, "status": "running", "errorKind": null,
            "sessionId": null,
        }))
        .expect("a record")
    }
}

/// The default for records from before attempts were counted.
const fn one() -> u32 {
    1
}

/// One event of a journal, its bytes exactly as the adapter wrote them.
#[derive(Debug, Clone, Copy)]
pub struct JournalEvent<'a> {
    /// Its number.
    pub seq: u64,
    /// The value of `event.type`.
    pub type_name: &'a str,
    /// The envelope (`{"runId":…,"seq":…,"ts":…,"event":{…}}`), without a line end.
    pub bytes: &'a [u8],
}

impl JournalEvent<'_> {
    /// Parses the event.
    ///
    /// # Errors
    /// When a known type has a malformed payload.
    pub fn parse(&self) -> Result<RunEventParams, serde_json::Error> {
        serde_json::from_slice(self.bytes)
    }
}
