//! Watching the host from outside: logs on stderr, metrics for Prometheus, traces for OpenTelemetry.
//!
//! Reading order for a newcomer: [`logs`] (what is printed), [`metrics`] (what is counted), then `runs` and `calls`
//! (the moments the rest of the host tells about). Nothing here is on the path of an event: figures of a run are taken
//! when it is over.

pub mod logs;
pub mod metrics;

mod calls;
mod process;
mod runs;
mod traces;

pub(crate) use runs::JournalSize;

use std::time::Duration;

use crate::settings::TelemetrySettings;
use metrics::Metrics;
use traces::{Destination, Traces};

/// How long the end of the host waits for traces that are still on their way.
const FLUSH_LIMIT: Duration = Duration::from_secs(2);

/// What one host tells the world about itself. Clones share it.
#[derive(Debug, Clone)]
pub struct Telemetry {
    metrics: Metrics,
    traces: Option<Traces>,
}

impl Telemetry {
    /// For one host that started at this time. Traces that cannot be sent keep no host from starting.
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

    /// Waits for traces that are still on their way, two seconds at most. Blocks.
    pub fn flush(&self) {
        if let Some(traces) = &self.traces {
            traces.flush(FLUSH_LIMIT);
        }
    }

    /// What is counted.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }
}
