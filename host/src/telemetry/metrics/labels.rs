//! Label sets, and the guard that keeps their values few: a metric has one time series for each combination.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use od_protocol::ErrorKind;
use od_protocol::api::{HOST_ERROR_KINDS, METHODS};
use prometheus_client::encoding::EncodeLabelSet;

/// More agents than anybody has adapters for; the next ones share one label.
const MOST_AGENTS: usize = 64;
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

/// `{agent,status,error_kind}`; a run that ended well has an empty kind.
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
pub(super) struct ByFace {
    pub(super) face: &'static str,
}

/// `{version}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ByVersion {
    pub(super) version: &'static str,
}

/// The agents that have a label of their own.
#[derive(Debug, Default)]
pub(super) struct Agents {
    known: Mutex<BTreeSet<Arc<str>>>,
}

impl Agents {
    /// An agent's label: its id, as long as there are not too many.
    pub(super) fn label(&self, id: &str) -> Arc<str> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(label) = known.get(id) {
            return Arc::clone(label);
        }
        if known.len() >= MOST_AGENTS || id.len() > MOST_AGENTS {
            return Arc::from(OTHER);
        }
        let label: Arc<str> = Arc::from(id);
        known.insert(Arc::clone(&label));
        label
    }
}

/// The label of a kind of error: a word of the protocol or of the host, or that it is somebody else's.
pub(super) fn error_kind(word: &str) -> &'static str {
    let known = ErrorKind::KNOWN.iter().map(ErrorKind::as_str);
    let of_host = HOST_ERROR_KINDS.iter().map(|kind| kind.kind);
    known.chain(of_host).find(|known| *known == word).unwrap_or(OTHER)
}

/// The label of a method: its name, or that there is none of that name.
pub(in crate::telemetry) fn method_label(name: &str) -> &'static str {
    METHODS.iter().map(|method| method.name).find(|known| *known == name).unwrap_or(OTHER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invented_names_share_a_label() {
        let agents = Agents::default();
        let labels: BTreeSet<Arc<str>> =
            (0..1000).map(|number| agents.label(&format!("agent-{number}"))).collect();
        assert_eq!(labels.len(), MOST_AGENTS + 1, "the known ones and one for the rest");
        assert_eq!(&*agents.label("agent-3"), "agent-3", "a known one keeps its label");
        assert_eq!(&*agents.label(&"x".repeat(5000)), OTHER);
    }

    #[test]
    fn kinds_and_methods_are_words_of_the_protocol() {
        assert_eq!(error_kind("plugin_crashed"), "plugin_crashed");
        assert_eq!(error_kind("_od.queue_full"), "_od.queue_full");
        assert_eq!(error_kind("_vendor.17"), OTHER);
        assert_eq!(method_label("runs/start"), "runs/start");
        assert_eq!(method_label("runs/start; drop"), OTHER);
    }
}
