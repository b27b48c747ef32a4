//! Models: asked of the CLI itself by a short talk over ACP. Without a login, or with a provider of
//! one's own, it names none; then what the variables say stands in.

use std::time::Duration;

use od_protocol::adapter::ListModelsResult;
use od_protocol::{Model, ModelsSource};
use od_sdk::probe::cli_query::{CliQuery, declared_env};
use od_sdk::{Install, Machine, acp};

use crate::manifest;

/// `models/list` has fifteen seconds.
const LIMIT: Duration = Duration::from_secs(12);
/// What the CLI takes when nothing names a model.
const DEFAULT_MODEL: &str = "auto";

/// The models the CLI offers.
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
        stdin: acp::inquiry_lines(&machine.home.display().to_string()),
        env,
        limit: LIMIT,
    };
    // Why it cannot be started is told by detection; here a list of our own will do.
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
