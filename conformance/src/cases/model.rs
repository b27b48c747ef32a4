//! MOD: which models there are, and that a run gets the one it asked for.

use std::collections::BTreeSet;

use od_protocol::{ErrorKind, ListModelsParams, ListModelsResult, ModelsSource};

use super::expectations::{model_reached, refused_with};
use crate::bench::{Bench, Setup, perform_on};
use crate::case::{Check, Gate, Tier, active};
use crate::plugin::{Answer, Plugin};
use crate::stand_in::{ProbeMode, Script, Step};
use crate::verdict::{Failure, Finding, Verdict, ensure};

/// The chapter's checks.
pub const CHECKS: &[Check] = &[
    active(
        "MOD-01",
        "`models/list` gives models with ids that are not empty and not repeated, and calls a \
         list live only when the agent CLI gave it",
        "a person picks from this list; a wrong one makes runs fail later",
        Gate::capability("models"),
        list_is_sound,
    ),
    active(
        "MOD-02",
        "when the agent CLI cannot say its models, `models/list` gives a static list or an error \
         with a kind, in time",
        "the picker must open although the agent CLI is broken or offline",
        Gate::capability("models"),
        failure_is_told,
    ),
    active(
        "MOD-03",
        "the model of a run reaches the agent CLI unchanged; one that reads like a switch is \
         refused before it is started",
        "another model costs another price; a switch in place of a name is an injection",
        Gate::cli_scenario("text").with_capability("models"),
        model_reaches_cli,
    ),
];

/// What a name that can be no model may be refused with.
const REFUSALS: &[ErrorKind] =
    &[ErrorKind::InvalidParams, ErrorKind::ConfigInvalid, ErrorKind::ModelUnknown];

/// What the stand-in plays when it is asked for its models.
fn models_script(bench: &mut Bench) -> Result<Script, Finding> {
    let has_it = bench.suite.pack.as_ref().is_some_and(|pack| pack.has("models"));
    Ok(if has_it { bench.prepare("models")?.script } else { Script::default() })
}

fn list_is_sound(bench: &mut Bench) -> Verdict {
    let script = models_script(bench)?;
    let mut plugin = bench.launch(&Setup::default())?;
    if script != Script::default() {
        plugin.stand_in.play(&script)?;
    }
    let list = plugin.call(&ListModelsParams {})?;
    ensure(!list.models.is_empty(), "at least one model", || "an empty list".to_owned())?;
    let mut seen = BTreeSet::new();
    for model in &list.models {
        let is_new = seen.insert(model.id.as_str());
        if model.id.trim().is_empty() || !is_new {
            let got = format!("the id {:?} is empty or there twice", model.id);
            return Err(told(&plugin, "ids that are not empty and not repeated", got));
        }
    }
    let was_asked = !plugin.stand_in.invocations().is_empty();
    if list.source == ModelsSource::Live && bench.suite.has_cli() {
        ensure(was_asked, "source static, since the agent CLI was not started", || {
            "source live".to_owned()
        })?;
        return only_what_was_said(&plugin, &script, &list);
    }
    Ok(())
}

/// A live list has only what the agent CLI printed.
fn only_what_was_said(plugin: &Plugin, script: &Script, list: &ListModelsResult) -> Verdict {
    let probes = script.probes.iter().map(|probe| probe.stdout.as_str());
    let lines = script.steps.iter().filter_map(|step| match step {
        Step::Out { text, .. } => Some(text.as_str()),
        _ => None,
    });
    let said: String = probes.chain(lines).collect();
    // Some agent CLIs print provider and model apart and take them as `provider/model`.
    let is_said = |id: &str| said.contains(id) || id.split('/').all(|part| said.contains(part));
    match list.models.iter().find(|model| !is_said(&model.id)) {
        Some(model) => {
            let got = format!("{:?} in a list with source live", model.id);
            Err(told(plugin, "only models that the agent CLI printed", got))
        }
        None => Ok(()),
    }
}

fn told(plugin: &Plugin, expected: &str, got: String) -> Finding {
    Failure::new(expected, got).sent("models/list").at(plugin.place()).into()
}

fn failure_is_told(bench: &mut Bench) -> Verdict {
    let modes = match bench.suite.tier {
        Tier::Full | Tier::Slow => vec![ProbeMode::Fail, ProbeMode::Flood, ProbeMode::Hang],
        _ => vec![ProbeMode::Fail],
    };
    for mode in modes {
        let script = models_script(bench)?;
        let mut plugin = bench.launch(&Setup::default())?;
        let steps = vec![Step::Exit { code: 1 }];
        plugin.stand_in.play(&Script { probe_mode: mode, steps, ..script })?;
        let sent = format!("models/list while the agent CLI does this when asked: {mode:?}");
        let answer = plugin.request("models/list", serde_json::json!({}))?;
        let list = match &answer {
            Answer::Error(error) if error.kind() != ErrorKind::Internal => continue,
            Answer::Error(_) => None,
            Answer::Result(value) => serde_json::from_value::<ListModelsResult>(value.clone()).ok(),
        };
        let is_static =
            |list: ListModelsResult| list.source == ModelsSource::Static && !list.models.is_empty();
        if !list.is_some_and(is_static) {
            let expected = "a list with source static, or an error with a kind";
            let failure = Failure::new(expected, answer.summary()).sent(sent);
            return Err(failure.at(plugin.place()).into());
        }
    }
    Ok(())
}

fn model_reaches_cli(bench: &mut Bench) -> Verdict {
    let script = models_script(bench)?;
    let mut plugin = bench.launch(&Setup::default())?;
    if script != Script::default() {
        plugin.stand_in.play(&script)?;
    }
    let list = plugin.call(&ListModelsParams {})?;
    // The last one: the first is often a word for "whatever is set".
    if let Some(model) = list.models.last() {
        let mut play = bench.prepare("text")?;
        play.request.model = Some(model.id.clone());
        let performance = perform_on(&mut plugin, play)?;
        let invocation = performance.invocation.unwrap_or_default();
        if !model_reached(&invocation, &model.id) {
            let expected = format!("{:?} as an argument, a line or a variable", model.id);
            let failure = Failure::new(expected, format!("arguments {:?}", invocation.args));
            return Err(failure.sent(format!("run/start with model {:?}", model.id)).into());
        }
    }
    for hostile in ["--help", "-c", ""] {
        let mut play = bench.prepare("text")?;
        play.request.model = Some(hostile.to_owned());
        plugin.stand_in.play(&play.script)?;
        let sent = format!("run/start with model {hostile:?}");
        refused_with(&mut plugin, &play.request, REFUSALS, &sent)?;
    }
    Ok(())
}
