//! The two moments of a run that everybody wants to see: its beginning and its end.

use std::time::Duration;

use od_protocol::{Done, ErrorKind};

use super::Telemetry;
use super::metrics::EndedRun;
use crate::journal::RunRecord;
use crate::run::RunHandle;
use crate::usage::Used;

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
        let waited_ms = u64::try_from(waited.as_millis()).ok().filter(|waited| *waited > 0);
        tracing::info!(agent = record.agent, waited_ms, "run started");
    }

    /// An adapter was asked what it finds, and took so long.
    pub(crate) fn detected(&self, agent: &str, took: Duration) {
        self.metrics.detected(agent, took);
        tracing::debug!(agent, duration_ms = took.as_secs_f64() * 1000.0, "agent looked at");
    }

    /// A run is over; `used` is what its attempts used.
    pub(crate) fn run_ended(&self, run: &RunHandle, done: &Done, used: &[Used]) {
        let record = run.record();
        let JournalSize { events, bytes } = run.journal_size();
        if let Some(kind) = &done.error_kind {
            self.metrics.adapter(&record.agent).failed(kind);
        }
        self.metrics.run_ended(&EndedRun { agent: &record.agent, done, events, bytes });
        used.iter().for_each(|used| self.metrics.used(used));
        tracing::info!(
            agent = record.agent,
            status = done.status.as_str(),
            error_kind = done.error_kind.as_ref().map(ErrorKind::as_str),
            duration_ms = done.duration_ms,
            events,
            "run ended"
        );
        if let Some(traces) = &self.traces {
            traces.send(run.folder(), &record);
        }
    }
}
