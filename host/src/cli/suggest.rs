//! Suggests the most similar run or agent for an unknown name.

use od_host::journal::RunRecord;
use od_host::plugin::Plugin;
use od_host::{Failure, Host, HostError};
use strsim::osa_distance;

/// A run is suggested when its id shares at least this many leading characters.
const MIN_SHARED_CHARS: usize = 4;
/// An agent is suggested when its id differs by at most this many typos.
const MAX_TYPOS: usize = 2;

/// Finds a run by its id, a prefix of it, or `last`.
///
/// # Errors
/// `run_unknown`, with the most similar run as a hint.
pub(crate) fn find_run(host: &Host, text: &str) -> Result<RunRecord, HostError> {
    host.find_run(text).map_err(|error| {
        let records = host.runs().unwrap_or_default();
        let shared = |record: &&RunRecord| {
            let pairs = record.run_id.bytes().zip(text.bytes());
            pairs.take_while(|(left, right)| left == right).count()
        };
        // A text that is a complete prefix matches several runs, which the error already reports.
        let similar = records.iter().max_by_key(shared);
        let similar = similar.filter(|it| (MIN_SHARED_CHARS..text.len()).contains(&shared(it)));
        match similar {
            Some(record) => error.with_hint(format!("did you mean {}?", record.run_id)),
            None => error,
        }
    })
}

/// Adds the most similar agent as a hint to an error about an unknown agent.
pub(crate) async fn with_similar_agent(host: &Host, agent: &str, error: HostError) -> HostError {
    if error.failure != Failure::AgentUnknown {
        return error;
    }
    let discovery = host.discover().await;
    let ids = discovery.adapters.iter().map(|adapter| &adapter.id);
    let candidates = ids.map(|id| (osa_distance(id, agent), id));
    // A name of two characters with two typos resembles everything.
    let is_similar = |typos: usize| typos <= MAX_TYPOS && typos < agent.chars().count();
    match candidates.filter(|(typos, _)| is_similar(*typos)).min() {
        Some((_, id)) => {
            error.with_hint(format!("did you mean {id}? `od-host agents` lists all agents"))
        }
        None => error,
    }
}

/// Connects to an agent's adapter.
///
/// # Errors
/// As `Host::connect`; an unknown agent gets the most similar one as a hint.
pub(crate) async fn connect(host: &Host, agent: &str) -> Result<Plugin, HostError> {
    match host.connect(agent).await {
        Ok(plugin) => Ok(plugin),
        Err(error) => Err(with_similar_agent(host, agent, error).await),
    }
}
