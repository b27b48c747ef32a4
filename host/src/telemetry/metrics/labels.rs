//! Label sets with bounded values: a metric has one time series per combination of values.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use od_protocol::ErrorKind;
use od_protocol::api::{HOST_ERROR_KINDS, METHODS};
use prometheus_client::encoding::EncodeLabelSet;

use crate::sync::lock;

/// Further agents share one label.
const MAX_AGENTS: usize = 64;
const MAX_AGENT_ID_BYTES: usize = 64;
const OTHER: &str = "other";

/// `{agent}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ByAgent {
    pub(super) agent: Arc<str>,
}

/// `{agent,kind}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ByAgentAndKind {
    pub(super) agent: Arc<str>,
    pub(super) kind: &'static str,
}

/// `{agent,status,error_kind}`; the kind of a run without an error is empty.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ByEnd {
    pub(super) agent: Arc<str>,
    pub(super) status: &'static str,
    pub(super) error_kind: &'static str,
}

/// `{method}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ByMethod {
    pub(super) method: &'static str,
}

/// `{method,outcome}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ByMethodAndOutcome {
    pub(super) method: &'static str,
    pub(super) outcome: &'static str,
}

/// `{reason}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ByReason {
    pub(super) reason: &'static str,
}

/// `{face}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ByTransport {
    pub(super) face: &'static str,
}

/// `{version}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ByVersion {
    pub(super) version: &'static str,
}

/// The agents that have their own label.
#[derive(Debug, Default)]
pub(super) struct Agents {
    known: Mutex<BTreeSet<Arc<str>>>,
}

impl Agents {
    /// Returns the label of an agent: its id, or `other` above the limit.
    pub(super) fn label(&self, id: &str) -> Arc<str> {
        let mut known = lock(&self.known);
        if let Some(label) = known.get(id) {
            return Arc::clone(label);
        }
        if known.len() >= MAX_AGENTS || id.len() > MAX_AGENT_ID_BYTES {
            return Arc::from(OTHER);
        }
        let label: Arc<str> = Arc::from(id);
        known.insert(Arc::clone(&label));
        label
    }
}

/// Returns the label of an error kind: a kind of the protocol or of the host, or `other`.
pub(super) fn error_kind(kind: &str) -> &'static str {
    let known = ErrorKind::KNOWN.iter().map(ErrorKind::as_str);
    let of_host = HOST_ERROR_KINDS.iter().map(|own| own.kind);
    known.chain(of_host).find(|known| *known == kind).unwrap_or(OTHER)
}

/// Returns the label of a method: its name, or `other`.
pub(in crate::telemetry) fn method_label(name: &str) -> &'static str {
    METHODS.iter().map(|method| method.name).find(|known| *known == name).unwrap_or(OTHER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_agents_share_a_label() {
        let agents = Agents::default();
        let labels: BTreeSet<Arc<str>> =
            (0..1000).map(|number| agents.label(&format!("agent-{number}"))).collect();
        assert_eq!(labels.len(), MAX_AGENTS + 1, "the known agents and one for the rest");
        assert_eq!(&*agents.label("agent-3"), "agent-3", "a known agent keeps its label");
        assert_eq!(&*agents.label(&"x".repeat(5000)), OTHER);
    }

    #[test]
    fn unknown_kinds_and_methods_share_a_label() {
        assert_eq!(error_kind("plugin_crashed"), "plugin_crashed");
        assert_eq!(error_kind("_od.queue_full"), "_od.queue_full");
        assert_eq!(error_kind("_vendor.17"), OTHER);
        assert_eq!(method_label("runs/start"), "runs/start");
        assert_eq!(method_label("runs/start; drop"), OTHER);
    }
}
