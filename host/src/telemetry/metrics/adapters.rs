//! Metrics of adapter processes: starts, failures, protocol violations, detection times.

use std::sync::Arc;
use std::time::Duration;

use od_protocol::ErrorKind;
use od_protocol::api::PLUGIN_PROTOCOL;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use super::labels::{self, ByAgent, ByAgentAndKind};

const DETECTION_SECONDS: [f64; 9] = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0];

#[derive(Debug)]
pub(super) struct AdapterMetrics {
    starts: Family<ByAgent, Counter>,
    failures: Family<ByAgentAndKind, Counter>,
    violations: Family<ByAgent, Counter>,
    detection: Family<ByAgent, Histogram>,
}

impl AdapterMetrics {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let metrics = Self {
            starts: Family::default(),
            failures: Family::default(),
            violations: Family::default(),
            detection: Family::new_with_constructor(|| Histogram::new(DETECTION_SECONDS)),
        };
        registry.register("od_adapter_starts", "Adapter processes started", metrics.starts.clone());
        registry.register(
            "od_adapter_failures",
            "Adapter processes that crashed or hung",
            metrics.failures.clone(),
        );
        registry.register(
            "od_protocol_violations",
            "Lines of adapters that violate the protocol",
            metrics.violations.clone(),
        );
        registry.register(
            "od_detection_seconds",
            "Duration of detections",
            metrics.detection.clone(),
        );
        metrics
    }

    pub(super) fn counters(&self, agent: Arc<str>) -> AdapterCounters {
        let by_agent = ByAgent { agent: Arc::clone(&agent) };
        AdapterCounters {
            starts: self.starts.get_or_create_owned(&by_agent),
            violations: self.violations.get_or_create_owned(&by_agent),
            failures: self.failures.clone(),
            agent,
        }
    }

    pub(super) fn detected(&self, agent: Arc<str>, took: Duration) {
        self.detection.get_or_create(&ByAgent { agent }).observe(took.as_secs_f64());
    }
}

/// The counters of one adapter process.
#[derive(Debug, Clone)]
pub(crate) struct AdapterCounters {
    agent: Arc<str>,
    starts: Counter,
    violations: Counter,
    failures: Family<ByAgentAndKind, Counter>,
}

impl AdapterCounters {
    pub(crate) fn agent(&self) -> &str {
        &self.agent
    }

    pub(crate) fn started(&self) {
        self.starts.inc();
    }

    pub(crate) fn violation(&self) {
        self.violations.inc();
    }

    /// Counts a failure if it is the adapter's own: a crash, a hang or a protocol violation.
    pub(crate) fn failed(&self, kind: &ErrorKind) {
        let is_own = matches!(kind, ErrorKind::PluginCrashed | ErrorKind::PluginHung);
        if !is_own && kind.as_str() != PLUGIN_PROTOCOL {
            return;
        }
        tracing::warn!(agent = self.agent(), error_kind = kind.as_str(), "adapter failed");
        let kind = labels::error_kind(kind.as_str());
        self.failures.get_or_create(&ByAgentAndKind { agent: Arc::clone(&self.agent), kind }).inc();
    }
}
