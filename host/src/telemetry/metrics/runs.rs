//! Metrics of runs, taken when a run starts and when it ends.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use od_protocol::{Done, ErrorKind};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use super::labels::{self, ByAgent, ByAgentAndKind, ByEnd};
use crate::telemetry::JournalSize;
use crate::usage::TokenUsage;

/// From 0.1 seconds to four hours.
const RUN_SECONDS: [f64; 14] =
    [0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 14_400.0];
const WAIT_SECONDS: [f64; 10] = [0.01, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0];

#[derive(Debug)]
pub(super) struct RunMetrics {
    started: Family<ByAgent, Counter>,
    ended: Family<ByEnd, Counter>,
    duration: Family<ByAgent, Histogram>,
    wait: Histogram,
    events: Family<ByAgent, Counter>,
    event_bytes: Counter,
    tokens: Family<ByAgentAndKind, Counter>,
    cost: Family<ByAgent, Counter<f64, AtomicU64>>,
}

impl RunMetrics {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let metrics = Self {
            started: Family::default(),
            ended: Family::default(),
            duration: Family::new_with_constructor(|| Histogram::new(RUN_SECONDS)),
            wait: Histogram::new(WAIT_SECONDS),
            events: Family::default(),
            event_bytes: Counter::default(),
            tokens: Family::default(),
            cost: Family::default(),
        };
        let Self { started, ended, duration, wait, events, event_bytes, tokens, cost } = &metrics;
        registry.register("od_runs_started", "Started runs", started.clone());
        registry.register("od_runs_ended", "Ended runs by status", ended.clone());
        registry.register("od_run_duration_seconds", "Duration of runs", duration.clone());
        registry.register("od_queue_wait_seconds", "Time of runs in the queue", wait.clone());
        registry.register("od_events", "Events of ended runs", events.clone());
        registry.register("od_event_bytes", "Bytes of events of ended runs", event_bytes.clone());
        registry.register("od_tokens", "Tokens reported by agents, by kind", tokens.clone());
        registry.register("od_cost_usd", "US dollars reported by agents", cost.clone());
        metrics
    }

    pub(super) fn started(&self, agent: Arc<str>, waited: Duration) {
        self.started.get_or_create(&ByAgent { agent }).inc();
        self.wait.observe(waited.as_secs_f64());
    }

    pub(super) fn ended(&self, agent: Arc<str>, done: &Done, size: JournalSize) {
        let error_kind = done.error_kind.as_ref().map(ErrorKind::as_str);
        let end = ByEnd {
            agent: Arc::clone(&agent),
            status: done.status.as_str(),
            error_kind: error_kind.map_or("", labels::error_kind),
        };
        self.ended.get_or_create(&end).inc();
        let by_agent = ByAgent { agent };
        let seconds = Duration::from_millis(done.duration_ms).as_secs_f64();
        self.duration.get_or_create(&by_agent).observe(seconds);
        self.events.get_or_create(&by_agent).inc_by(size.events);
        self.event_bytes.inc_by(size.bytes);
    }

    /// Counts the usage of one attempt for its own agent.
    pub(super) fn used(&self, agent: Arc<str>, tokens: &TokenUsage) {
        let kinds = [
            ("input", tokens.input_tokens),
            ("output", tokens.output_tokens),
            ("cache_read", tokens.cache_read_tokens),
            ("cache_write", tokens.cache_write_tokens),
            ("reasoning", tokens.reasoning_tokens.unwrap_or_default()),
        ];
        for (kind, tokens) in kinds.into_iter().filter(|(_, tokens)| *tokens > 0) {
            let labels = ByAgentAndKind { agent: Arc::clone(&agent), kind };
            self.tokens.get_or_create(&labels).inc_by(tokens);
        }
        // A negative cost would decrease a counter.
        if let Some(cost) = tokens.cost_usd.filter(|cost| *cost >= 0.0) {
            self.cost.get_or_create(&ByAgent { agent }).inc_by(cost);
        }
    }
}
