//! Lists models with the agent CLI, or with the server that all runs are attached to.

use std::time::Duration;

use od_protocol::ErrorObject;
use od_protocol::adapter::ListModelsResult;
use od_sdk::http::{self, Request};
use od_sdk::{Adapter, Machine};

use crate::http::server;

/// `models/list` times out after 15 s.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(13);

/// Lists the models. With `config.options.serverUrl` the list comes from that server, with context
/// windows and efforts.
///
/// # Errors
/// CLI or server fail, time out or list none.
pub fn list(adapter: &dyn Adapter, machine: &Machine) -> Result<ListModelsResult, ErrorObject> {
    let Some(server) = server::of_machine(machine)? else {
        return crate::models::list(&adapter.manifest(), &adapter.locate(machine)?, machine);
    };
    let failure = |why: String| server::no_answer(&server, &why);
    let get = |path: &str| http::ask(&server, &Request::get("models", path), REQUEST_TIMEOUT);
    let settings = get("/config").ok().and_then(|answer| answer.json());
    let current = settings.as_ref().and_then(|settings| settings.get("model")?.as_str());
    let answer = get("/config/providers")
        .map_err(|error| failure(format!("did not list its models: {error}")))?;
    let answer = answer.json().ok_or_else(|| failure(format!("answered {}", answer.status)))?;
    crate::models::parse_providers(&answer, current)
        .ok_or_else(|| failure("has no models".to_owned()))
}
