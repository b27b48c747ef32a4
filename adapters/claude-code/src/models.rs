//! Models and quota: requested from the CLI over the control protocol, without a session. If the CLI
//! does not answer, the models are a static list.

use std::time::Duration;

use od_protocol::adapter::ListModelsResult;
use od_protocol::{Effort, Model, ModelsSource, Quota, QuotaWindow};
use od_sdk::auth::{millis, rfc3339_millis};
use od_sdk::probe::cli_query::{CliQuery, declared_env, known_models};
use od_sdk::stream_json::control::reply_to;
use od_sdk::{Install, Machine};
use serde::Deserialize;
use serde_json::Value;

use crate::{control, manifest};

/// Shorter than the fifteen seconds that `models/list` and `quota/get` may take.
const QUERY_TIMEOUT: Duration = Duration::from_secs(10);
/// The id of the usage request.
const USAGE_ID: &str = "od-usage";
/// The model that the CLI uses if none is selected.
const DEFAULT_MODEL: &str = "default";
/// Model names that every 2.1 version accepts.
const STATIC_MODELS: &[(&str, &str)] =
    &[(DEFAULT_MODEL, "Default"), ("opus", "Opus"), ("sonnet", "Sonnet"), ("haiku", "Haiku")];

/// A model in the reply to `initialize` (recording `sj_control_misc`).
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct NativeModel {
    value: String,
    resolved_model: Option<String>,
    display_name: Option<String>,
    supported_effort_levels: Vec<String>,
}

/// A window of the subscription in the reply to `get_usage`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct NativeWindow {
    utilization: Option<f64>,
    resets_at: Option<Value>,
}

/// Returns the models that the CLI offers, or the static list if it does not answer.
pub fn list(machine: &Machine, install: &Install) -> ListModelsResult {
    let lines = query(machine, install, &control::initialize(None));
    lines
        .iter()
        .find_map(|line| reply_to(line, control::INITIALIZE_ID)?.get("models"))
        .and_then(parse_models)
        .unwrap_or_else(|| known_models(STATIC_MODELS, DEFAULT_MODEL))
}

/// Returns the usage of the subscription; `None` without a subscription.
pub fn quota(machine: &Machine, install: &Install) -> Option<Quota> {
    let lines = query(machine, install, &control::get_usage(USAGE_ID));
    lines.iter().find_map(|line| reply_to(line, USAGE_ID)?.get("rate_limits")).and_then(parse_quota)
}

/// Sends one request and returns all lines of the output. The CLI answers even after stdin
/// closes.
fn query(machine: &Machine, install: &Install, request: &Value) -> Vec<Value> {
    let mut env = declared_env(&manifest::manifest(), machine);
    env.insert("DISABLE_AUTOUPDATER".to_owned(), "1".to_owned());
    let args = [
        "-p",
        "--output-format",
        "stream-json",
        "--input-format",
        "stream-json",
        "--verbose",
        "--no-session-persistence",
    ];
    let query = CliQuery {
        args: args.map(str::to_owned).to_vec(),
        stdin: format!("{request}\n").into_bytes(),
        env,
        limit: QUERY_TIMEOUT,
    };
    // Detection reports why a CLI cannot be started; here the static list is enough.
    let stdout = query.run(install, machine).unwrap_or_default();
    stdout
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect()
}

fn parse_models(models: &Value) -> Option<ListModelsResult> {
    let natives: Vec<NativeModel> = Vec::deserialize(models).ok()?;
    let mut models: Vec<Model> = Vec::new();
    for native in &natives {
        if native.value.is_empty() || models.iter().any(|model| model.id == native.value) {
            continue;
        }
        models.push(model(native));
    }
    let current = natives.iter().find(|native| native.value == DEFAULT_MODEL);
    (!models.is_empty()).then(|| ListModelsResult {
        models,
        current: current.and_then(|native| native.resolved_model.clone()),
        source: ModelsSource::Live,
    })
}

fn model(native: &NativeModel) -> Model {
    let levels = native.supported_effort_levels.iter();
    Model {
        id: native.value.clone(),
        name: native.display_name.clone(),
        default: native.value == DEFAULT_MODEL,
        // The suffix marks the variant of a model with a large context window.
        context_window: native
            .resolved_model
            .as_deref()
            .is_some_and(|model| model.ends_with("[1m]"))
            .then_some(1_000_000),
        // The protocol has no equivalent of the level `xhigh`.
        efforts: Some(levels.filter_map(|level| Effort::from_known(level)).collect()),
    }
}

fn parse_quota(rate_limits: &Value) -> Option<Quota> {
    let object = rate_limits.as_object()?;
    let windows: Vec<QuotaWindow> = object
        .iter()
        .filter_map(|(kind, value)| window(kind, NativeWindow::deserialize(value).ok()?))
        .collect();
    let exhausted = windows.iter().filter(|window| window.exhausted);
    Some(Quota {
        rate_limited: windows.iter().any(|window| window.exhausted),
        earliest_reset_at: exhausted.filter_map(|window| window.resets_at).min(),
        windows,
    })
}

fn window(kind: &str, native: NativeWindow) -> Option<QuotaWindow> {
    let used_percent = native.utilization?;
    let resets_at = match native.resets_at {
        Some(Value::Number(number)) => number.as_u64().map(millis),
        Some(Value::String(text)) => rfc3339_millis(&text),
        _ => None,
    };
    Some(QuotaWindow {
        kind: kind.to_owned(),
        used_percent: Some(used_percent),
        resets_at,
        exhausted: used_percent >= 100.0,
    })
}
