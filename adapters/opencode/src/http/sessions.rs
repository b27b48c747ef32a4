//! Lists and reads native sessions with the agent CLI, or with the server that all runs are attached
//! to.

use std::time::Duration;

use od_protocol::ErrorObject;
use od_protocol::adapter::{
    ListSessionsParams, ListSessionsResult, ReadSessionParams, ReadSessionResult,
};
use od_sdk::http::{self, Answer, Server, encoded};
use od_sdk::session_files::unknown;
use od_sdk::{Adapter, Machine};

use crate::http::requests::session_request;
use crate::http::server;

/// `sessions/read` sends two requests and times out after 15 s.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(6);

/// Lists the sessions; with `config.options.serverUrl` those of that server.
///
/// # Errors
/// CLI or server fail or time out.
pub fn list(
    adapter: &dyn Adapter,
    machine: &Machine,
    list_sessions_params: &ListSessionsParams,
) -> Result<ListSessionsResult, ErrorObject> {
    let Some(server) = server::of_machine(machine)? else {
        let install = adapter.locate(machine)?;
        return crate::sessions::list(&adapter.manifest(), &install, machine, list_sessions_params);
    };
    let answer = get(&server, "", list_sessions_params.cwd.as_deref())?;
    crate::sessions::parse_list(&answer.body, list_sessions_params)
        .ok_or_else(|| server::no_answer(&server, &format!("answered {}", answer.status)))
}

/// Reads one session as events.
///
/// # Errors
/// `session_unknown` for an unknown id; CLI or server fail or time out.
pub fn read(
    adapter: &dyn Adapter,
    machine: &Machine,
    read_session_params: &ReadSessionParams,
) -> Result<ReadSessionResult, ErrorObject> {
    let Some(server) = server::of_machine(machine)? else {
        let install = adapter.locate(machine)?;
        return crate::sessions::read(&adapter.manifest(), &install, machine, read_session_params);
    };
    let ReadSessionParams { id, cwd } = read_session_params;
    if !crate::sessions::is_session_id(id) {
        return Err(unknown(id, "not found"));
    }
    let info = get(&server, &format!("/{}", encoded(id)), cwd.as_deref())?;
    if info.status == 404 {
        return Err(unknown(id, "not found"));
    }
    let messages = get(&server, &format!("/{}/message", encoded(id)), cwd.as_deref())?;
    let failed =
        |answer: &Answer| server::no_answer(&server, &format!("answered {}", answer.status));
    let native = serde_json::from_slice(&info.body).map_err(|_| failed(&info))?;
    let said: Vec<_> = serde_json::from_slice(&messages.body).map_err(|_| failed(&messages))?;
    Ok(crate::sessions::session_events(native, &said))
}

fn get(server: &Server, rest: &str, cwd: Option<&str>) -> Result<Answer, ErrorObject> {
    http::ask(server, &session_request(rest, cwd), REQUEST_TIMEOUT)
        .map_err(|error| server::no_answer(server, &format!("did not list its sessions: {error}")))
}
