//! Reports the start and the end of runs to logs, metrics and traces.

use std::time::Duration;

use od_protocol::{Done, ErrorKind};

use super::Telemetry;
use crate::journal::RunRecord;
use crate::journal::folder::RunFolder;
use crate::usage::AttemptUsage;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct JournalSize {
    /// The number of events.
    pub(crate) events: u64,
    /// The length of the file.
    pub(crate) bytes: u64,
}

/// A run that has ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunEnd<'a> {
    pub(crate) record: &'a RunRecord,
    pub(crate) folder: &'a RunFolder,
    pub(crate) size: JournalSize,
    pub(crate) done: &'a Done,
    /// The usage of each attempt.
    pub(crate) attempts: &'a [AttemptUsage],
}

impl Telemetry {
    /// Reports that a run started after this time in the queue.
    pub(crate) fn run_started(&self, record: &RunRecord, waited: Duration) {
        self.metrics.run_started(&record.agent, waited);
        let waited_ms = u64::try_from(waited.as_millis()).ok().filter(|waited| *waited > 0);
        tracing::info!(agent = record.agent, waited_ms, "run started");
    }

    /// Reports the duration of a detection.
    pub(crate) fn detected(&self, agent: &str, took: Duration) {
        self.metrics.detected(agent, took);
        tracing::debug!(agent, duration_ms = took.as_secs_f64() * 1000.0, "agent detected");
    }

    /// Reports that a run ended.
    pub(crate) fn run_ended(&self, end: &RunEnd<'_>) {
        let RunEnd { record, folder, size, done, attempts } = *end;
        if let Some(kind) = &done.error_kind {
            self.metrics.adapter(&record.agent).failed(kind);
        }
        self.metrics.run_ended(&record.agent, done, size);
        attempts.iter().for_each(|attempt| self.metrics.used(attempt));
        tracing::info!(
            agent = record.agent,
            status = done.status.as_str(),
            error_kind = done.error_kind.as_ref().map(ErrorKind::as_str),
            duration_ms = done.duration_ms,
            events = size.events,
            "run ended"
        );
        if let Some(traces) = &self.traces {
            traces.send(folder, record);
        }
    }
}
