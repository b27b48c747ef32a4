//! Lists models: ids from the command `opencode models`, ids with details from the server. There is
//! no fallback list, because the models depend on the configured providers.

use std::time::Duration;

use od_protocol::adapter::ListModelsResult;
use od_protocol::{Effort, ErrorKind, ErrorObject, Manifest, Model, ModelsSource};
use serde::Deserialize;
use serde_json::Value;

use od_sdk::probe::cli_query::{CliQuery, declared_env};
use od_sdk::{Install, Machine};

/// `models/list` times out after 15 s; the command takes 3 s on an idle machine.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(13);

/// A model as the server describes it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct NativeModel {
    name: Option<String>,
    limit: Limit,
    /// Reasoning levels by name.
    variants: std::collections::BTreeMap<String, Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Limit {
    context: f64,
}

/// Lists the models with the agent CLI.
///
/// # Errors
/// `cli_crashed` if the command fails, times out or lists none.
pub fn list(
    manifest: &Manifest,
    install: &Install,
    machine: &Machine,
) -> Result<ListModelsResult, ErrorObject> {
    let mut env = declared_env(manifest, machine);
    env.insert("OPENCODE_DISABLE_AUTOUPDATE".to_owned(), "1".to_owned());
    let query = CliQuery {
        args: vec!["models".to_owned()],
        env,
        limit: COMMAND_TIMEOUT,
        ..CliQuery::default()
    };
    let failure = |why: String| {
        ErrorObject::new(ErrorKind::CliCrashed, format!("`opencode models` {why}"))
            .with_hint("try it by hand: opencode models")
    };
    let stdout = query
        .run(install, machine)
        .map_err(|error| failure(format!("could not be started: {error}")))?;
    listed_models(&String::from_utf8_lossy(&stdout))
        .ok_or_else(|| failure("listed no model in time".to_owned()))
}

/// Parses the output of the command; `None` without any model.
fn listed_models(stdout: &str) -> Option<ListModelsResult> {
    let is_id = |line: &&str| {
        line.contains('/') && !line.contains(|character: char| character.is_whitespace())
    };
    let ids = stdout.lines().map(str::trim).filter(is_id);
    let mut models: Vec<Model> = Vec::new();
    for id in ids {
        push(
            &mut models,
            Model {
                id: id.to_owned(),
                name: None,
                default: false,
                context_window: None,
                efforts: None,
            },
        );
    }
    result(models, None)
}

/// Parses the server's reply to `/config/providers`; `None` without any model. `current` is the
/// model of the settings.
pub fn parse_providers(answer: &Value, current: Option<&str>) -> Option<ListModelsResult> {
    let providers = answer.get("providers").and_then(Value::as_array)?;
    let mut models = Vec::new();
    for provider in providers {
        let Some(provider_id) = provider.get("id").and_then(Value::as_str) else { continue };
        let natives = provider.get("models").and_then(Value::as_object).into_iter().flatten();
        for (model_id, native) in natives {
            let native = NativeModel::deserialize(native).unwrap_or_default();
            push(&mut models, model(format!("{provider_id}/{model_id}"), native, current));
        }
    }
    result(models, current.map(str::to_owned))
}

fn model(id: String, native: NativeModel, current: Option<&str>) -> Model {
    let levels = native.variants.keys();
    Model {
        default: current == Some(id.as_str()),
        id,
        name: native.name,
        context_window: (native.limit.context >= 1.0).then_some(native.limit.context as u64),
        // The protocol does not have the further levels (minimal, xhigh).
        efforts: Some(levels.filter_map(|level| Effort::from_known(level)).collect()),
    }
}

fn push(models: &mut Vec<Model>, model: Model) {
    if !models.iter().any(|known| known.id == model.id) {
        models.push(model);
    }
}

fn result(models: Vec<Model>, current: Option<String>) -> Option<ListModelsResult> {
    let source = ModelsSource::Live;
    (!models.is_empty()).then_some(ListModelsResult { models, current, source })
}
