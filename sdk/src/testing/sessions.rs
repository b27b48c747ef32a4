//! For tests of native sessions: what is listed and read, compared with what lies beside the adapter.

use std::path::Path;

use od_protocol::adapter::{ListSessionsParams, ReadSessionParams, ReadSessionResult};
use od_protocol::{ErrorKind, ErrorObject, SessionSummary};

use super::{Replay, check_events};
use crate::{Adapter, Machine};

/// The sessions of a folder, or all, as an adapter lists them on a machine.
///
/// # Panics
/// When it does not.
pub fn listed(adapter: &dyn Adapter, machine: &Machine, cwd: Option<&str>) -> Vec<SessionSummary> {
    let params = ListSessionsParams { cwd: cwd.map(str::to_owned), limit: None };
    adapter.list_sessions(machine, &params).expect("a list").sessions
}

/// A session as an adapter reads it on a machine.
///
/// # Errors
/// The adapter's own.
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
/// When they differ, or when some were left out.
pub fn check_session(expected_file: &Path, result: &ReadSessionResult) {
    assert!(!result.truncated);
    let events = result.events.iter().map(|event| serde_json::to_value(event).expect("JSON"));
    check_events(expected_file, &Replay { events: events.collect(), stdin: Vec::new() });
}

/// Checks that none of these ids is taken for a session, or for a path.
///
/// # Panics
/// When one is.
pub fn check_unknown_sessions(
    ids: &[&str],
    read: impl Fn(&ReadSessionParams) -> Result<ReadSessionResult, ErrorObject>,
) {
    for id in ids {
        let error = read(&ReadSessionParams { id: (*id).to_owned(), cwd: None }).expect_err(id);
        assert_eq!(error.kind(), ErrorKind::SessionUnknown, "{id}");
    }
}
