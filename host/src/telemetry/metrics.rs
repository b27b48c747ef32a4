//! The metrics of a host, and their text for Prometheus. `host/README.md` lists all metrics.
//!
//! Incrementing a counter is one atomic addition. Every label has a bounded set of values (see `labels`).

mod adapters;
mod api;
mod labels;
mod runs;
mod state;

pub(crate) use adapters::AdapterCounters;
pub use api::{GaugeGuard, Refusal, Transport};
pub(super) use labels::method_label;
pub(crate) use state::Snapshot;

use std::sync::Arc;
use std::time::Duration;

use od_protocol::Done;
use prometheus_client::encoding::text;
use prometheus_client::registry::Registry;

use adapters::AdapterMetrics;
use api::ApiMetrics;
use labels::Agents;
use runs::RunMetrics;
use state::StateMetrics;

use super::JournalSize;
use crate::usage::AttemptUsage;

/// The media type of `Metrics::encode`'s text.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// All metrics of one host. Clones share them.
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

    /// Counts the start of a run after this time in the queue.
    pub(crate) fn run_started(&self, agent: &str, waited: Duration) {
        self.shared.runs.started(self.agent(agent), waited);
    }

    /// Counts the end of a run for the agent of its last attempt.
    pub(crate) fn run_ended(&self, agent: &str, done: &Done, size: JournalSize) {
        self.shared.runs.ended(self.agent(agent), done, size);
    }

    /// Counts the usage of one attempt of a finished run.
    pub(crate) fn used(&self, used: &AttemptUsage) {
        self.shared.runs.used(self.agent(&used.agent), &used.tokens);
    }

    /// The counters of one adapter process.
    pub(crate) fn adapter(&self, agent: &str) -> AdapterCounters {
        self.shared.adapters.counters(self.agent(agent))
    }

    /// Records the duration of a detection.
    pub(crate) fn detected(&self, agent: &str, took: Duration) {
        self.shared.adapters.detected(self.agent(agent), took);
    }

    /// Counts a call of the API; the outcome is `ok` or the kind of its error.
    pub(crate) fn called(&self, method: &'static str, outcome: &str, took: Duration) {
        self.shared.api.called(method, outcome, took);
    }

    /// Counts a request that was rejected before it reached a method.
    pub fn refused(&self, refusal: Refusal) {
        self.shared.api.refused(refusal);
    }

    /// Counts a connected client until the guard is dropped.
    pub fn client(&self, transport: Transport) -> GaugeGuard {
        self.shared.api.client(transport)
    }

    /// Counts a subscriber of a run until the guard is dropped.
    pub fn subscriber(&self) -> GaugeGuard {
        self.shared.api.subscriber()
    }

    /// Encodes all metrics in the OpenMetrics text format.
    pub(crate) fn encode(&self, snapshot: &Snapshot) -> String {
        self.shared.state.set(snapshot);
        let mut text = String::new();
        if let Err(error) = text::encode(&mut text, &self.shared.registry) {
            tracing::warn!(%error, "cannot encode the metrics");
        }
        text
    }

    fn agent(&self, id: &str) -> Arc<str> {
        self.shared.agents.label(id)
    }
}

#[cfg(test)]
mod tests;
