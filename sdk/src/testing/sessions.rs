//! For tests of native sessions: compares what an adapter lists and reads with files.

use std::path::Path;

use od_protocol::adapter::{ListSessionsParams, ReadSessionParams, ReadSessionResult};
use od_protocol::{ErrorKind, ErrorObject, SessionSummary};

use super::{Replay, check_events};
use crate::{Adapter, Machine};

/// Returns the sessions that an adapter lists: those of a folder, or all.
///
/// # Panics
/// The adapter returns an error.
pub fn listed(adapter: &dyn Adapter, machine: &Machine, cwd: Option<&str>) -> Vec<SessionSummary> {
    let params = ListSessionsParams { cwd: cwd.map(str::to_owned), limit: None };
    adapter.list_sessions(machine, &params).expect("a list").sessions
}

/// Reads a session with an adapter.
///
/// # Errors
/// The error of the adapter.
pub fn read_session(
    adapter: &dyn Adapter,
    machine: &Machine,
    id: &str,
) -> Result<ReadSessionResult, ErrorObject> {
    adapter.read_session(machine, &ReadSessionParams { id: id.to_owned(), cwd: None })
}

/// Compares the events of a session with those in a file. `UPDATE_EXPECT=1` rewrites it.
///
/// # Panics
/// They differ, or some were left out.
pub fn check_session(expected_file: &Path, result: &ReadSessionResult) {
    assert!(!result.truncated);
    let events = result.events.iter().map(|event| serde_json::to_value(event).expect("JSON"));
    check_events(expected_file, &Replay { events: events.collect(), stdin: Vec::new() });
}

/// Checks that none of these ids is accepted as a session or as a path.
///
/// # Panics
/// One is accepted.
pub fn check_unknown_sessions(
    ids: &[&str],
    read: impl Fn(&ReadSessionParams) -> Result<ReadSessionResult, ErrorObject>,
) {
    for id in ids {
        let error = read(&ReadSessionParams { id: (*id).to_owned(), cwd: None }).expect_err(id);
        assert_eq!(error.kind(), ErrorKind::SessionUnknown, "{id}");
    }
}
