//! What the host counts, and its text for Prometheus. `host/README.md` has the table of all metrics.
//!
//! Handles are cheap: a count is one atomic addition. Every label has a bounded set of values (see `labels`).

mod adapters;
mod api;
mod labels;
mod runs;
mod state;

pub(crate) use adapters::AdapterMeter;
pub use api::{Face, Present, Refusal};
pub(super) use labels::method_label;
pub(crate) use runs::EndedRun;
pub(crate) use state::Snapshot;

use std::sync::Arc;
use std::time::Duration;

use prometheus_client::encoding::text;
use prometheus_client::registry::Registry;

use adapters::AdapterMetrics;
use api::ApiMetrics;
use labels::Agents;
use runs::RunMetrics;
use state::StateMetrics;

use crate::usage::Used;

/// The media type of [`Metrics::encode`]'s text.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Everything one host counts. Clones share it.
#[derive(Debug, Clone)]
pub struct Metrics {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    registry: Registry,
    agents: Agents,
    runs: RunMetrics,
    adapters: AdapterMetrics,
    api: ApiMetrics,
    state: StateMetrics,
}

impl Metrics {
    /// For a host that started at this time, in milliseconds since 1970.
    pub(crate) fn new(started_at: u64) -> Self {
        let mut registry = Registry::default();
        let shared = Shared {
            agents: Agents::default(),
            runs: RunMetrics::register(&mut registry),
            adapters: AdapterMetrics::register(&mut registry),
            api: ApiMetrics::register(&mut registry),
            state: StateMetrics::register(&mut registry, started_at),
            registry,
        };
        Self { shared: Arc::new(shared) }
    }

    /// A run has begun, after so long in the queue.
    pub(crate) fn run_started(&self, agent: &str, waited: Duration) {
        self.shared.runs.started(self.agent(agent), waited);
    }

    /// A run is over.
    pub(crate) fn run_ended(&self, run: &EndedRun<'_>) {
        self.shared.runs.ended(self.agent(run.agent), run);
    }

    /// An attempt of a run that is over used this.
    pub(crate) fn used(&self, used: &Used) {
        self.shared.runs.used(self.agent(&used.agent), &used.spent);
    }

    /// A handle for one adapter process.
    pub(crate) fn adapter(&self, agent: &str) -> AdapterMeter {
        self.shared.adapters.meter(self.agent(agent))
    }

    /// An adapter was asked what it finds.
    pub(crate) fn detected(&self, agent: &str, took: Duration) {
        self.shared.adapters.detected(self.agent(agent), took);
    }

    /// A call of the API was answered: with `ok`, or with the kind of its error.
    pub(crate) fn called(&self, method: &'static str, outcome: &str, took: Duration) {
        self.shared.api.called(method, outcome, took);
    }

    /// A request was turned away before it reached a method.
    pub fn refused(&self, refusal: Refusal) {
        self.shared.api.refused(refusal);
    }

    /// A client is connected as long as the answer lives.
    pub fn client(&self, face: Face) -> Present {
        self.shared.api.client(face)
    }

    /// Somebody watches a run as long as the answer lives.
    pub fn subscriber(&self) -> Present {
        self.shared.api.subscriber()
    }

    /// All of it in the OpenMetrics text format.
    pub(crate) fn encode(&self, snapshot: &Snapshot) -> String {
        self.shared.state.set(snapshot);
        let mut text = String::new();
        if let Err(error) = text::encode(&mut text, &self.shared.registry) {
            tracing::warn!(%error, "the metrics have no text form");
        }
        text
    }

    fn agent(&self, id: &str) -> Arc<str> {
        self.shared.agents.label(id)
    }
}

#[cfg(test)]
mod tests;
