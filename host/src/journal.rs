//! Events on disk: `runs/<runId>/{run.json, events.jsonl}`.

use std::path::PathBuf;

use od_protocol::{ErrorKind, RunEventParams};
use serde::{Deserialize, Serialize};

use crate::error::HostError;

/// How a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
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
    /// The agent.
    pub agent: String,
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
    /// In milliseconds since 1970.
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

/// Reads a journal from any event on, while it is written or later.
#[derive(Debug)]
pub struct EventReader {}

impl EventReader {
    /// The next event; waits for it while the run is going on. `None` after `done`.
    /// May be dropped while it waits (in a `select!`) without losing an event.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub async fn next(&mut self) -> Result<Option<JournalEvent<'_>>, HostError> {
        todo!()
    }

    /// The next event if it is already there, without waiting: lets a printer flush only when it
    /// has caught up. `None` means nothing right now.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn next_ready(&mut self) -> Result<Option<JournalEvent<'_>>, HostError> {
        todo!()
    }

    /// Lines that were no events and were passed over.
    pub fn damaged_lines(&self) -> u64 {
        todo!()
    }
}
