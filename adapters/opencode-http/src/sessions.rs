//! Native sessions: asked of the agent CLI, or of the server that all runs are attached to.

use std::time::Duration;

use od_protocol::{
    ErrorObject, ListSessionsParams, ListSessionsResult, ReadSessionsParams, ReadSessionsResult,
};
use od_sdk::http::{self, Answer, Server, encoded};
use od_sdk::session_files::unknown;
use od_sdk::{Adapter, Machine, parts};

use crate::requests::session_request;
use crate::server;

/// `sessions/read` asks twice and has fifteen seconds.
const LIMIT: Duration = Duration::from_secs(6);

/// The sessions. With `config.options.serverUrl` that server is asked.
///
/// # Errors
/// Whoever was asked lists none in time.
pub fn list(
    adapter: &dyn Adapter,
    machine: &Machine,
    list_sessions_params: &ListSessionsParams,
) -> Result<ListSessionsResult, ErrorObject> {
    let Some(server) = server::of_machine(machine)? else {
        let install = adapter.locate(machine)?;
        return parts::ask_sessions(&adapter.manifest(), &install, machine, list_sessions_params);
    };
    let answer = ask(&server, "", list_sessions_params.cwd.as_deref())?;
    parts::listed_sessions(&answer.body, list_sessions_params)
        .ok_or_else(|| server::silent(&server, &format!("answered {}", answer.status)))
}

/// One session, as events.
///
/// # Errors
/// `session_unknown` when there is none of that id; whoever was asked does not tell it in time.
pub fn read(
    adapter: &dyn Adapter,
    machine: &Machine,
    read_sessions_params: &ReadSessionsParams,
) -> Result<ReadSessionsResult, ErrorObject> {
    let Some(server) = server::of_machine(machine)? else {
        let install = adapter.locate(machine)?;
        return parts::ask_session(&adapter.manifest(), &install, machine, read_sessions_params);
    };
    let ReadSessionsParams { id, cwd } = read_sessions_params;
    if !parts::is_session_id(id) {
        return Err(unknown(id, "not found"));
    }
    let info = ask(&server, &format!("/{}", encoded(id)), cwd.as_deref())?;
    if info.status == 404 {
        return Err(unknown(id, "not found"));
    }
    let messages = ask(&server, &format!("/{}/message", encoded(id)), cwd.as_deref())?;
    let failed = |answer: &Answer| server::silent(&server, &format!("answered {}", answer.status));
    let native = serde_json::from_slice(&info.body).map_err(|_| failed(&info))?;
    let said: Vec<_> = serde_json::from_slice(&messages.body).map_err(|_| failed(&messages))?;
    Ok(parts::told_session(native, &said))
}

fn ask(server: &Server, rest: &str, cwd: Option<&str>) -> Result<Answer, ErrorObject> {
    http::ask(server, &session_request(rest, cwd), LIMIT)
        .map_err(|error| server::silent(server, &format!("told no sessions: {error}")))
}
