//! Models: asked of the agent CLI, or of the server that all runs are attached to.

use std::time::Duration;

use od_protocol::{ErrorObject, ListModelsResult};
use od_sdk::http::{self, Request};
use od_sdk::{Adapter, Machine, parts};

use crate::server;

/// `models/list` has fifteen seconds.
const LIMIT: Duration = Duration::from_secs(13);

/// The models. With `config.options.serverUrl` that server is asked, and tells their windows and
/// efforts, too.
///
/// # Errors
/// Whoever was asked names none in time.
pub fn list(adapter: &dyn Adapter, machine: &Machine) -> Result<ListModelsResult, ErrorObject> {
    let Some(server) = server::of_machine(machine)? else {
        return parts::ask_models(&adapter.manifest(), &adapter.locate(machine)?, machine);
    };
    let failure = |why: String| server::silent(&server, &why);
    let ask = |path: &str| http::ask(&server, &Request::get("models", path), LIMIT);
    let settings = ask("/config").ok().and_then(|answer| answer.json());
    let current = settings.as_ref().and_then(|settings| settings.get("model")?.as_str());
    let answer =
        ask("/config/providers").map_err(|error| failure(format!("gave no list: {error}")))?;
    let answer = answer.json().ok_or_else(|| failure(format!("answered {}", answer.status)))?;
    parts::provided_models(&answer, current).ok_or_else(|| failure("has no models".to_owned()))
}
