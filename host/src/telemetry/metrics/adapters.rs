//! Metrics of adapter processes: started, crashed, hung, breaking the protocol, looking at the machine.

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
        registry.register(
            "od_adapter_starts",
            "Adapter processes that were started",
            metrics.starts.clone(),
        );
        registry.register(
            "od_adapter_failures",
            "Adapter processes that crashed or hung",
            metrics.failures.clone(),
        );
        registry.register(
            "od_protocol_violations",
            "Lines of adapters that break the protocol",
            metrics.violations.clone(),
        );
        registry.register(
            "od_detection_seconds",
            "How long an adapter took to look at the machine",
            metrics.detection.clone(),
        );
        metrics
    }

    pub(super) fn meter(&self, agent: Arc<str>) -> AdapterMeter {
        let by_agent = ByAgent { agent: Arc::clone(&agent) };
        AdapterMeter {
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

/// Counts for one adapter process.
#[derive(Debug, Clone)]
pub(crate) struct AdapterMeter {
    agent: Arc<str>,
    starts: Counter,
    violations: Counter,
    failures: Family<ByAgentAndKind, Counter>,
}

impl AdapterMeter {
    /// Whose process it is.
    pub(crate) fn agent(&self) -> &str {
        &self.agent
    }

    /// It was started.
    pub(crate) fn started(&self) {
        self.starts.inc();
    }

    /// It broke the protocol once.
    pub(crate) fn violation(&self) {
        self.violations.inc();
    }

    /// Whatever it was used for failed in this way; only a crash, a hang or a break of the protocol is the process's
    /// own fault.
    pub(crate) fn failed(&self, kind: &ErrorKind) {
        let own = matches!(kind, ErrorKind::PluginCrashed | ErrorKind::PluginHung);
        if !own && kind.as_str() != PLUGIN_PROTOCOL {
            return;
        }
        tracing::warn!(agent = self.agent(), error_kind = kind.as_str(), "adapter failed");
        let kind = labels::error_kind(kind.as_str());
        self.failures.get_or_create(&ByAgentAndKind { agent: Arc::clone(&self.agent), kind }).inc();
    }
}
