//! The two moments of a run that everybody wants to see: its beginning and its end.

use std::time::Duration;

use od_protocol::{Done, ErrorKind};

use super::Telemetry;
use super::metrics::EndedRun;
use crate::journal::RunRecord;

/// How long a journal has become.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct JournalSize {
    /// Its events.
    pub(crate) events: u64,
    /// Its bytes.
    pub(crate) bytes: u64,
}

impl Telemetry {
    /// A run has begun, after so long in the queue.
    pub(crate) fn run_started(&self, record: &RunRecord, waited: Duration) {
        self.metrics.run_started(&record.agent, waited);
        tracing::info!(run = record.run_id, agent = record.agent, "run started");
    }

    /// An adapter was asked what it finds, and took so long.
    pub(crate) fn detected(&self, agent: &str, took: Duration) {
        self.metrics.detected(agent, took);
        tracing::debug!(agent, duration_ms = took.as_secs_f64() * 1000.0, "agent looked at");
    }

    /// A run is over.
    pub(crate) fn run_ended(&self, record: &RunRecord, done: &Done, size: JournalSize) {
        let JournalSize { events, bytes } = size;
        self.metrics.run_ended(&EndedRun { agent: &record.agent, done, events, bytes });
        tracing::info!(
            run = record.run_id,
            agent = record.agent,
            status = done.status.as_str(),
            error_kind = done.error_kind.as_ref().map(ErrorKind::as_str),
            duration_ms = done.duration_ms,
            events,
            "run ended"
        );
    }
}
