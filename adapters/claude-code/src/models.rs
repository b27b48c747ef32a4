//! Models and quota: asked of the CLI itself by a short talk over the control protocol, without a
//! session. When it does not answer, a list of our own stands in.

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

/// `models/list` and `quota/get` have fifteen seconds.
const LIMIT: Duration = Duration::from_secs(10);
/// The id of the request for the quota.
const USAGE_ID: &str = "od-usage";
/// What the CLI takes when nothing names a model.
const DEFAULT_MODEL: &str = "default";
/// The names every 2.1 version understands.
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

/// The models the CLI offers; our own list when it does not say.
pub fn list(machine: &Machine, install: &Install) -> ListModelsResult {
    let lines = query(machine, install, &control::initialize(None));
    lines
        .iter()
        .find_map(|line| reply_to(line, control::INITIALIZE_ID)?.get("models"))
        .and_then(models_of)
        .unwrap_or_else(|| known_models(STATIC_MODELS, DEFAULT_MODEL))
}

/// How much of the subscription is used; `None` without one.
pub fn quota(machine: &Machine, install: &Install) -> Option<Quota> {
    let lines = query(machine, install, &control::get_usage(USAGE_ID));
    lines.iter().find_map(|line| reply_to(line, USAGE_ID)?.get("rate_limits")).and_then(quota_of)
}

/// One request, all lines of the answer. The CLI answers what it has read even after stdin's end.
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
        limit: LIMIT,
    };
    // Why it cannot be started is told by detection; here a list of our own will do.
    let stdout = query.run(install, machine).unwrap_or_default();
    stdout
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect()
}

fn models_of(models: &Value) -> Option<ListModelsResult> {
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
        // The CLI marks the variants of a model with a large window in their name.
        context_window: native
            .resolved_model
            .as_deref()
            .is_some_and(|model| model.ends_with("[1m]"))
            .then_some(1_000_000),
        // Its fifth level, xhigh, has no word in the protocol.
        efforts: Some(levels.filter_map(|level| Effort::from_known(level)).collect()),
    }
}

fn quota_of(rate_limits: &Value) -> Option<Quota> {
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
