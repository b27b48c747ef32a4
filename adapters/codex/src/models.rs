//! Models and quota: requested from the app server, without a thread. If the CLI does not answer, a
//! static list of models is the fallback.

use std::time::Duration;

use od_protocol::adapter::ListModelsResult;
use od_protocol::{Effort, Model, ModelsSource, Quota};
use od_sdk::json_rpc::Incoming;
use od_sdk::probe::cli_query::{CliQuery, declared_env, known_models};
use od_sdk::{Install, Machine};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::events::quota_of;
use crate::manifest;
use crate::native::{ModelEntry, ModelList, RateLimits};
use crate::requests::{self, Purpose};

/// Below the 15 seconds of `models/list` and `quota/get`.
const QUERY_TIMEOUT: Duration = Duration::from_secs(10);
/// The id of the request after `initialize`.
const QUERY_ID: u64 = 2;
/// The default of 0.166.0.
const DEFAULT_MODEL: &str = "gpt-6.1-sol";
/// The models that 0.166.0 offers.
const STATIC_MODELS: &[(&str, &str)] = &[
    (DEFAULT_MODEL, "GPT-6.1-Sol"),
    ("gpt-6-astra", "GPT-6-Astra"),
    ("gpt-6-sol", "GPT-6-Sol"),
    ("gpt-6-luna", "GPT-6-Luna"),
    ("gpt-6.1-terra", "GPT-6.1 Terra"),
    ("gpt-5.5", "GPT-5.5"),
];

/// Returns the models that the CLI offers, or the static list.
pub fn list(machine: &Machine, install: &Install) -> ListModelsResult {
    let reply: Option<ModelList> = query("model/list", json!({}), machine, install);
    reply.and_then(models_of).unwrap_or_else(|| known_models(STATIC_MODELS, DEFAULT_MODEL))
}

/// Returns the used part of the subscription; `None` without one.
pub fn quota(machine: &Machine, install: &Install) -> Option<Quota> {
    let reply: RateLimits = query("account/rateLimits/read", Value::Null, machine, install)?;
    quota_of(&reply.rate_limits)
}

/// Sends one request after the handshake and returns its result. The CLI drops unanswered requests at
/// the end of stdin, so stdin stays open until the reply.
fn query<T: DeserializeOwned>(
    method: &str,
    params: Value,
    machine: &Machine,
    install: &Install,
) -> Option<T> {
    let mut pending = requests::new_requests();
    let [initialize, initialized] = requests::initialize(&mut pending);
    let request = pending.request(method, params, Purpose::Models);
    let env = declared_env(&manifest::manifest(), machine);
    let args = ["app-server", "--disable", "apps", "--disable", "plugins"];
    let cli_query = CliQuery {
        args: args.map(str::to_owned).to_vec(),
        stdin: requests::to_lines(&[initialize, initialized, request]),
        env,
        limit: QUERY_TIMEOUT,
    };
    // Detection reports why the CLI does not start; here the static list is the fallback.
    let stdout = cli_query.run_until(is_answered, install, machine).ok()?;
    let reply = lines(&stdout).find_map(reply_of)?;
    serde_json::from_str(reply.ok()?).ok()
}

fn lines(stdout: &[u8]) -> impl Iterator<Item = &[u8]> {
    stdout.split_inclusive(|byte| *byte == b'\n')
}

fn is_answered(stdout: &[u8]) -> bool {
    lines(stdout).any(|line| line.ends_with(b"\n") && reply_of(line).is_some())
}

/// The reply to our request; the text of an error is not used.
fn reply_of(line: &[u8]) -> Option<Result<&str, ()>> {
    match Incoming::read(line)? {
        Incoming::Reply { id: Some(QUERY_ID), outcome } => {
            Some(outcome.map(|result| result.get()).map_err(drop))
        }
        _ => None,
    }
}

fn models_of(list: ModelList) -> Option<ListModelsResult> {
    let mut models: Vec<Model> = Vec::new();
    for entry in list.data.iter().filter(|entry| !entry.hidden && !entry.model.is_empty()) {
        if !models.iter().any(|model| model.id == entry.model) {
            models.push(model(entry));
        }
    }
    let current = models.iter().find(|model| model.default).map(|model| model.id.clone());
    (!models.is_empty()).then_some(ListModelsResult { models, current, source: ModelsSource::Live })
}

fn model(entry: &ModelEntry) -> Model {
    let levels = entry.supported_reasoning_efforts.iter();
    let mut efforts: Vec<Effort> =
        levels.filter_map(|level| Effort::from_known(&level.reasoning_effort)).collect();
    // For such a model, `max` is sent as `xhigh`.
    let has_xhigh =
        entry.supported_reasoning_efforts.iter().any(|level| level.reasoning_effort == "xhigh");
    if has_xhigh && !efforts.contains(&Effort::Max) {
        efforts.push(Effort::Max);
    }
    Model {
        id: entry.model.clone(),
        name: entry.display_name.clone(),
        default: entry.is_default,
        context_window: None,
        efforts: Some(efforts),
    }
}
