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

pub(crate) use runs::JournalSize;

use metrics::Metrics;

/// What one host tells the world about itself. Clones share it.
#[derive(Debug, Clone)]
pub struct Telemetry {
    metrics: Metrics,
}

impl Telemetry {
    /// For one host.
    pub(crate) fn new(started_at: u64) -> Self {
        Self { metrics: Metrics::new(started_at) }
    }

    /// What is counted.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }
}
