//! What was probably meant: the nearest run or agent to a name that fits none.

use od_host::journal::RunRecord;
use od_host::plugin::Plugin;
use od_host::{Failure, Host, HostError};

/// An id that shares fewer first letters than this was hardly meant.
const SHARED_LETTERS: usize = 4;
/// More mistakes than this are another word.
const MISTAKES: usize = 2;

/// A run by its id, the beginning of it, or `last`.
///
/// # Errors
/// `run_unknown`, with the nearest run in the hint.
pub(crate) fn find_run(host: &Host, text: &str) -> Result<RunRecord, HostError> {
    host.find_run(text).map_err(|error| {
        let records = host.runs().unwrap_or_default();
        let shared = |record: &&RunRecord| {
            let pairs = record.run_id.bytes().zip(text.bytes());
            pairs.take_while(|(left, right)| left == right).count()
        };
        // A text that is a whole beginning fits several runs; the error says so already.
        let nearest = records.iter().max_by_key(shared);
        let nearest = nearest.filter(|it| (SHARED_LETTERS..text.len()).contains(&shared(it)));
        match nearest {
            Some(record) => error.with_hint(format!("did you mean {}?", record.run_id)),
            None => error,
        }
    })
}

/// The error, with the nearest agent in the hint when it is about an unknown one.
pub(crate) async fn with_nearest_agent(host: &Host, agent: &str, error: HostError) -> HostError {
    if error.failure != Failure::AgentUnknown {
        return error;
    }
    let discovery = host.discover().await;
    let near = discovery.adapters.iter().map(|adapter| (distance(&adapter.id, agent), &adapter.id));
    // Every letter of a word may not be a mistake.
    let few = |distance: usize| distance <= MISTAKES && distance < agent.chars().count();
    match near.filter(|(distance, _)| few(*distance)).min() {
        Some((_, id)) => {
            error.with_hint(format!("did you mean {id}? `od-host agents` lists them all"))
        }
        None => error,
    }
}

/// Connects to an agent's adapter.
///
/// # Errors
/// As `Host::connect`, with the nearest agent in the hint when there is no such one.
pub(crate) async fn connect(host: &Host, agent: &str) -> Result<Plugin, HostError> {
    match host.connect(agent).await {
        Ok(plugin) => Ok(plugin),
        Err(error) => Err(with_nearest_agent(host, agent, error).await),
    }
}

/// How many letters must be changed, added, left out or swapped with their neighbour.
fn distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let mut rows = vec![(0..=right.len()).collect::<Vec<usize>>()];
    for (row, letter) in left.iter().enumerate() {
        let mut next = vec![row + 1];
        for (column, other) in right.iter().enumerate() {
            let changed = rows[row][column] + usize::from(letter != other);
            let mut least = changed.min(rows[row][column + 1] + 1).min(next[column] + 1);
            if row > 0 && column > 0 && left[row - 1] == *other && *letter == right[column - 1] {
                least = least.min(rows[row - 1][column - 1] + 1);
            }
            next.push(least);
        }
        rows.push(next);
    }
    rows[left.len()][right.len()]
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn mistakes_are_counted() {
        assert_eq!(distance("demo", "demo"), 0);
        assert_eq!(distance("demo", "dmeo"), 1);
        assert_eq!(distance("codex", "codx"), 1);
        assert_eq!(distance("claude-code", "claudecode"), 1);
        assert_eq!(distance("", "abc"), 3);
    }
}
