//! A short talk with an agent CLI that answers on stdout what it is told on stdin: its models, its
//! quota. For an adapter's `models` and `quota`, never for a run.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use od_protocol::{ListModelsResult, Manifest, Model, ModelsSource};

use super::ask::{Question, Stdin, Words, ask_saying};
use crate::{Install, Machine};

/// What the agent CLI is told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Talk {
    /// Its arguments.
    pub args: Vec<String>,
    /// All of stdin, which is then closed.
    pub stdin: Vec<u8>,
    /// Variables on top of the allowlist: a credential it needs for the answer.
    pub env: BTreeMap<String, String>,
    /// How long it may take.
    pub limit: Duration,
}

/// The variables that an adapter declares and that are set: what a short talk may need for its
/// answer.
pub fn declared_env(manifest: &Manifest, machine: &Machine) -> BTreeMap<String, String> {
    let further = manifest.requirements.env.iter().map(|variable| &variable.name);
    let names = manifest.auth.env.iter().chain(further);
    names.filter_map(|name| Some((name.clone(), machine.var(name)?.to_owned()))).collect()
}

/// A list of an adapter's own (id and name) for a CLI that does not say what it offers.
pub fn known_models(models: &[(&str, &str)], default: &str) -> ListModelsResult {
    let models = models.iter().map(|(id, name)| Model {
        id: (*id).to_owned(),
        name: Some((*name).to_owned()),
        default: *id == default,
        context_window: None,
        efforts: None,
    });
    ListModelsResult { models: models.collect(), current: None, source: ModelsSource::Static }
}

/// What the agent CLI says before it ends or its time is up. When it returns, everything the CLI
/// started has ended.
///
/// # Errors
/// It could not be started.
pub fn converse(talk: Talk, install: &Install, machine: &Machine) -> io::Result<Vec<u8>> {
    say(talk, Stdin::Closed, install, machine)
}

/// As [`converse`], for an agent CLI that leaves at the end of stdin what it has not answered yet:
/// stdin stays open until what it has said so far is enough.
///
/// # Errors
/// It could not be started.
pub fn converse_until(
    talk: Talk,
    is_enough: fn(&[u8]) -> bool,
    install: &Install,
    machine: &Machine,
) -> io::Result<Vec<u8>> {
    say(talk, Stdin::OpenUntil(is_enough), install, machine)
}

fn say(talk: Talk, then: Stdin, install: &Install, machine: &Machine) -> io::Result<Vec<u8>> {
    let args: Vec<&str> = talk.args.iter().map(String::as_str).collect();
    let question = Question::to_cli(install, &args, talk.limit);
    let words = Words { stdin: talk.stdin, then, env: talk.env, stdout: None };
    Ok(ask_saying(&question, machine, words)?.stdout)
}
