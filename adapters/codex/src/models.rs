//! Models and quota: asked of the CLI itself by a short talk with its app server, without a thread.
//! When it does not answer, a list of our own stands in.

use std::time::Duration;

use od_protocol::adapter::ListModelsResult;
use od_protocol::{Effort, Model, ModelsSource, Quota};
use od_sdk::json_rpc::Incoming;
use od_sdk::probe::cli_query::{CliQuery, declared_env, known_models};
use od_sdk::{Install, Machine};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::events::windows;
use crate::manifest;
use crate::native::{ModelEntry, ModelList, RateLimits};
use crate::requests::{self, Purpose};

/// `models/list` and `quota/get` have fifteen seconds.
const LIMIT: Duration = Duration::from_secs(10);
/// The number of the request behind the greeting.
const QUESTION_ID: u64 = 2;
/// The one 0.166.0 takes when nothing names another.
const DEFAULT_MODEL: &str = "gpt-6.1-sol";
/// The models 0.166.0 offers.
const STATIC_MODELS: &[(&str, &str)] = &[
    (DEFAULT_MODEL, "GPT-6.1-Sol"),
    ("gpt-6-astra", "GPT-6-Astra"),
    ("gpt-6-sol", "GPT-6-Sol"),
    ("gpt-6-luna", "GPT-6-Luna"),
    ("gpt-6.1-terra", "GPT-6.1 Terra"),
    ("gpt-5.5", "GPT-5.5"),
];

/// The models the CLI offers; our own list when it does not say.
pub fn list(machine: &Machine, install: &Install) -> ListModelsResult {
    let reply: Option<ModelList> = ask("model/list", json!({}), machine, install);
    reply.and_then(models_of).unwrap_or_else(|| known_models(STATIC_MODELS, DEFAULT_MODEL))
}

/// How much of the subscription is used; `None` without one.
pub fn quota(machine: &Machine, install: &Install) -> Option<Quota> {
    let reply: RateLimits = ask("account/rateLimits/read", Value::Null, machine, install)?;
    windows(&reply.rate_limits)
}

/// One question behind the greeting. The CLI forgets what it has not answered when stdin ends, so
/// that stays open until the reply is there.
fn ask<T: DeserializeOwned>(
    method: &str,
    params: Value,
    machine: &Machine,
    install: &Install,
) -> Option<T> {
    let mut numbering = requests::numbering();
    let [initialize, initialized] = requests::greet(&mut numbering);
    let question = numbering.request(method, params, Purpose::Models);
    let env = declared_env(&manifest::manifest(), machine);
    let args = ["app-server", "--disable", "apps", "--disable", "plugins"];
    let query = CliQuery {
        args: args.map(str::to_owned).to_vec(),
        stdin: requests::lines_of(&[initialize, initialized, question]),
        env,
        limit: LIMIT,
    };
    // Why it cannot be started is told by detection; here a list of our own will do.
    let stdout = query.run_until(is_answered, install, machine).ok()?;
    let reply = lines(&stdout).find_map(reply_of)?;
    serde_json::from_str(reply.ok()?).ok()
}

fn lines(stdout: &[u8]) -> impl Iterator<Item = &[u8]> {
    stdout.split_inclusive(|byte| *byte == b'\n')
}

fn is_answered(stdout: &[u8]) -> bool {
    lines(stdout).any(|line| line.ends_with(b"\n") && reply_of(line).is_some())
}

/// The reply to our question; the error of a refusal says nothing we need.
fn reply_of(line: &[u8]) -> Option<Result<&str, ()>> {
    match Incoming::read(line)? {
        Incoming::Reply { id: Some(QUESTION_ID), outcome } => {
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
    // A model whose most is called otherwise takes that for max.
    let is_highest_xhigh =
        entry.supported_reasoning_efforts.iter().any(|level| level.reasoning_effort == "xhigh");
    if is_highest_xhigh && !efforts.contains(&Effort::Max) {
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
