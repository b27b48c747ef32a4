//! Observing the host: logs on stderr, metrics for Prometheus, traces for OpenTelemetry.
//!
//! Reading order: [`logs`], [`metrics`], then `runs` and `calls` (what the rest of the host reports). Nothing here is
//! on the path of an event: the figures of a run are taken when it has ended.

pub mod logs;
pub mod metrics;

mod calls;
mod runs;
mod traces;

pub(crate) use runs::{JournalSize, RunEnd};

use std::time::Duration;

use crate::settings::TelemetrySettings;
use metrics::Metrics;
use traces::{Destination, Traces};

/// How long the host waits at exit for traces that are not sent yet.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// Logs, metrics and traces of one host. Clones share them.
#[derive(Debug, Clone)]
pub struct Telemetry {
    metrics: Metrics,
    traces: Option<Traces>,
}

impl Telemetry {
    /// For a host that started at this time. A trace exporter that cannot start is logged, not an error.
    pub(crate) fn start(started_at: u64, settings: &TelemetrySettings) -> Self {
        let traces = Destination::of_process(settings).and_then(|destination| {
            Traces::start(destination)
                .inspect_err(|error| {
                    tracing::warn!(%error, hint = error.hint.as_deref(), "runs are not traced");
                })
                .ok()
        });
        Self { metrics: Metrics::new(started_at), traces }
    }

    /// Waits until all traces are sent, at most two seconds. Blocks.
    pub fn flush(&self) {
        if let Some(traces) = &self.traces {
            traces.flush(FLUSH_TIMEOUT);
        }
    }

    /// The metrics.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }
}
