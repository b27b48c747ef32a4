//! MOD: the list of models, and the model of a run.

use std::collections::BTreeSet;

use od_protocol::adapter::{ListModelsParams, ListModelsResult};
use od_protocol::{ErrorKind, ModelsSource};

use super::AdapterCheck;
use super::expectations::{model_reached, refused_with};
use super::model_values::list_values;
use crate::adapter_client::{AdapterClient, Answer};
use crate::check::{Gate, Tier, active};
use crate::context::{CheckContext, execute_on};
use crate::fake_cli::{ProbeMode, Script, Step};
use crate::outcome::{CheckOutcome, Failure, Finding, ensure};

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    active(
        "MOD-01",
        "`models/list` returns models with unique, non-empty ids, and reports source live only if \
         the agent CLI provided the list",
        "users select from this list; a wrong entry makes runs fail later",
        Gate::capability("models"),
        valid_list,
    ),
    active(
        "MOD-02",
        "if the agent CLI cannot list its models, `models/list` returns a static list or an error \
         with a kind, in time",
        "the model selection must open even if the agent CLI is broken or offline",
        Gate::capability("models"),
        failed_listing,
    ),
    active(
        "MOD-03",
        "the model of a run reaches the agent CLI unchanged; a model that looks like a \
         command-line option is refused before the agent CLI is started",
        "another model costs a different price; an option in place of a name is an injection",
        Gate::cli_scenario("text").with_capability("models"),
        model_reaches_cli,
    ),
    active(
        "MOD-04",
        "a live list contains exactly the ids that the agent CLI lists, has at most one default and \
         is the same each time; a model outside the list is passed on or refused",
        "users select from this list; a missing model cannot be selected",
        Gate::cli_scenario("text").with_capability("models"),
        list_values,
    ),
];

/// The kinds with which an invalid model name may be refused.
const REFUSALS: &[ErrorKind] =
    &[ErrorKind::InvalidParams, ErrorKind::ConfigInvalid, ErrorKind::ModelUnknown];

/// Returns the script with which the fake CLI lists its models.
pub(super) fn models_script(context: &mut CheckContext) -> Result<Script, Finding> {
    let has_scenario = context.suite.has_scenario("models");
    Ok(if has_scenario { context.prepare("models")?.script } else { Script::default() })
}

fn valid_list(context: &mut CheckContext) -> CheckOutcome {
    let script = models_script(context)?;
    let mut adapter = context.launch()?;
    if script != Script::default() {
        adapter.fake_cli.load_script(&script)?;
    }
    let list = adapter.call(&ListModelsParams {})?;
    ensure(!list.models.is_empty(), "at least one model", || "an empty list".to_owned())?;
    let mut seen = BTreeSet::new();
    for model in &list.models {
        let is_new = seen.insert(model.id.as_str());
        if model.id.trim().is_empty() || !is_new {
            let got = format!("the id {:?} is empty or repeated", model.id);
            return Err(list_failure(&adapter, "ids that are not empty and not repeated", got));
        }
    }
    let was_started = !adapter.fake_cli.invocations().is_empty();
    if list.source == ModelsSource::Live && context.suite.has_cli() {
        ensure(was_started, "source static, since the agent CLI was not started", || {
            "source live".to_owned()
        })?;
        return only_printed_models(&adapter, &script, &list);
    }
    Ok(())
}

/// Fails if a live list contains a model that the agent CLI did not print.
fn only_printed_models(
    adapter: &AdapterClient,
    script: &Script,
    list: &ListModelsResult,
) -> CheckOutcome {
    let probes = script.probes.iter().map(|probe| probe.stdout.as_str());
    let lines = script.steps.iter().filter_map(|step| match step {
        Step::Out { text, .. } => Some(text.as_str()),
        _ => None,
    });
    let printed: String = probes.chain(lines).collect();
    // Some agent CLIs print provider and model separately and accept them as `provider/model`.
    let is_printed =
        |id: &str| printed.contains(id) || id.split('/').all(|part| printed.contains(part));
    match list.models.iter().find(|model| !is_printed(&model.id)) {
        Some(model) => {
            let got = format!("{:?} in a list with source live", model.id);
            Err(list_failure(adapter, "only models that the agent CLI printed", got))
        }
        None => Ok(()),
    }
}

fn list_failure(adapter: &AdapterClient, expected: &str, got: String) -> Finding {
    adapter.failure(expected, got, "models/list")
}

fn failed_listing(context: &mut CheckContext) -> CheckOutcome {
    let modes = match context.suite.tier {
        Tier::Full | Tier::Slow => vec![ProbeMode::Fail, ProbeMode::Flood, ProbeMode::Hang],
        _ => vec![ProbeMode::Fail],
    };
    for mode in modes {
        let script = models_script(context)?;
        let mut adapter = context.launch()?;
        let steps = vec![Step::Exit { code: 1 }];
        adapter.fake_cli.load_script(&Script { probe_mode: mode, steps, ..script })?;
        let sent = format!("models/list while the agent CLI answers probes like this: {mode:?}");
        let answer = adapter.request("models/list", serde_json::json!({}))?;
        let list = match &answer {
            Answer::Error(error) if error.kind() != ErrorKind::Internal => continue,
            Answer::Error(_) => None,
            Answer::Result(value) => serde_json::from_value::<ListModelsResult>(value.clone()).ok(),
        };
        let is_static =
            |list: ListModelsResult| list.source == ModelsSource::Static && !list.models.is_empty();
        if !list.is_some_and(is_static) {
            let expected = "a list with source static, or an error with a kind";
            return Err(adapter.failure(expected, answer.summary(), sent));
        }
    }
    Ok(())
}

fn model_reaches_cli(context: &mut CheckContext) -> CheckOutcome {
    let script = models_script(context)?;
    let mut adapter = context.launch()?;
    if script != Script::default() {
        adapter.fake_cli.load_script(&script)?;
    }
    let list = adapter.call(&ListModelsParams {})?;
    // The last model, because the first one often means "default".
    if let Some(model) = list.models.last() {
        let mut prepared = context.prepare("text")?;
        prepared.request.model = Some(model.id.clone());
        let completed_run = execute_on(&mut adapter, prepared)?;
        let invocation = completed_run.invocation.unwrap_or_default();
        if !model_reached(&invocation, &model.id) {
            let expected = format!("{:?} as an argument, an input line or a variable", model.id);
            let failure = Failure::new(expected, format!("arguments {:?}", invocation.args));
            return Err(failure.sent(format!("run/start with model {:?}", model.id)).into());
        }
    }
    for hostile in ["--help", "-c", ""] {
        let mut prepared = context.prepare("text")?;
        prepared.request.model = Some(hostile.to_owned());
        adapter.fake_cli.load_script(&prepared.script)?;
        let sent = format!("run/start with model {hostile:?}");
        refused_with(&mut adapter, &prepared.request, REFUSALS, &sent)?;
    }
    Ok(())
}
