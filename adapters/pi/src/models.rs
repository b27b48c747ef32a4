//! Lists the configured models: starts the CLI without a session and requests them.

use std::time::Duration;

use od_protocol::adapter::ListModelsResult;
use od_protocol::{Effort, ErrorKind, ErrorObject, Manifest, Model, ModelsSource};
use serde::Deserialize;
use serde_json::Value;

use super::content::model_id;
use super::native::{self, ResponseLine, State};
use super::{Dialect, commands};
use od_sdk::probe::cli_query::{CliQuery, declared_env};
use od_sdk::{Install, Machine};

/// `models/list` times out after 15 s, and ending the CLI takes 1 s.
const QUERY_TIMEOUT: Duration = Duration::from_secs(12);

/// Lists the models that the CLI offers with the existing logins.
///
/// # Errors
/// The CLI cannot be started or does not answer.
pub fn list(
    dialect: &Dialect,
    manifest: &Manifest,
    machine: &Machine,
    install: &Install,
) -> Result<ListModelsResult, ErrorObject> {
    let failure = |reason: String| {
        let path = install.path.display();
        ErrorObject::new(
            ErrorKind::CliProtocol,
            format!("{path} did not list its models: {reason}"),
        )
        .with_hint(format!("try it by hand: {path} --list-models"))
    };
    let query = query(dialect, manifest, machine, install);
    let stdout = query.run(install, machine).map_err(|error| failure(error.to_string()))?;
    let replies: Vec<ResponseLine> = stdout
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    let reply = |id: &str| replies.iter().find(|reply| reply.id.as_deref() == Some(id));
    let data = match reply(commands::MODELS_ID) {
        Some(reply) if reply.success => &reply.data,
        Some(reply) => return Err(failure(reply.error.clone().unwrap_or_default())),
        None => return Err(failure("it ended or ran out of time before it answered".to_owned())),
    };
    let state = reply(commands::STATE_ID).and_then(|reply| State::deserialize(&reply.data).ok());
    Ok(models_of(data, state.and_then(|state| state.model)))
}

fn query(dialect: &Dialect, manifest: &Manifest, machine: &Machine, install: &Install) -> CliQuery {
    let mut env = declared_env(manifest, machine);
    let quiet = dialect.quiet_env.iter();
    env.extend(quiet.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    let args = ["--mode", "rpc", "--no-session"].into_iter().chain(dialect.fixed_args(install));
    let requests = [commands::get_state(), commands::get_available_models()];
    CliQuery {
        args: args.map(str::to_owned).collect(),
        stdin: requests.map(|request| format!("{request}\n")).concat().into_bytes(),
        env,
        limit: QUERY_TIMEOUT,
    }
}

fn models_of(data: &Value, current: Option<native::Model>) -> ListModelsResult {
    let current = current
        .filter(|model| !model.id.is_empty() && model.provider != "unknown")
        .map(|model| model_id(&model.provider, &model.id));
    let natives: Vec<native::Model> =
        data.get("models").and_then(|models| Vec::deserialize(models).ok()).unwrap_or_default();
    let mut models: Vec<Model> = Vec::new();
    for native in natives {
        let id = model_id(&native.provider, &native.id);
        if native.id.is_empty() || models.iter().any(|model| model.id == id) {
            continue;
        }
        models.push(Model {
            default: current.as_ref() == Some(&id),
            name: native.name,
            context_window: native.context_window,
            // A level the model does not have is rounded by the CLI.
            efforts: Some(if native.reasoning { Effort::ALL.to_vec() } else { Vec::new() }),
            id,
        });
    }
    ListModelsResult { models, current, source: ModelsSource::Live }
}
