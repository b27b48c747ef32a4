//! Models: requested from the CLI over ACP. Without a login, or with a custom provider, the CLI lists
//! none; then the variables name the model.

use std::time::Duration;

use od_protocol::adapter::ListModelsResult;
use od_protocol::{Model, ModelsSource};
use od_sdk::probe::cli_query::{CliQuery, declared_env};
use od_sdk::{Install, Machine, acp};

use crate::manifest;

/// Below the 15 seconds of `models/list`.
const QUERY_TIMEOUT: Duration = Duration::from_secs(12);
/// The CLI's default.
const DEFAULT_MODEL: &str = "auto";

/// Returns the models that the CLI offers.
pub fn list(machine: &Machine, install: &Install) -> ListModelsResult {
    let env = declared_env(&manifest::manifest(), machine);
    let query = CliQuery {
        args: [
            "--acp",
            "--no-custom-instructions",
            "--no-auto-update",
            "--disable-client-telemetry",
        ]
        .map(str::to_owned)
        .to_vec(),
        stdin: acp::session_query_lines(&machine.home.display().to_string()),
        env,
        limit: QUERY_TIMEOUT,
    };
    // Detection reports why the CLI does not start; here the variables are the fallback.
    let is_answered = |stdout: &[u8]| acp::session_reply(stdout).is_some();
    let stdout = query.run_until(is_answered, install, machine).unwrap_or_default();
    let offered = acp::session_reply(&stdout).as_ref().and_then(acp::models_of);
    offered.unwrap_or_else(|| by_variables(machine))
}

fn by_variables(machine: &Machine) -> ListModelsResult {
    let current = machine.var("COPILOT_MODEL").map(str::to_owned);
    let model = Model {
        id: current.clone().unwrap_or_else(|| DEFAULT_MODEL.to_owned()),
        name: None,
        default: true,
        context_window: None,
        efforts: None,
    };
    ListModelsResult { models: vec![model], current, source: ModelsSource::Static }
}
