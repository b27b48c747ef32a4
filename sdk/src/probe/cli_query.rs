//! Queries an agent CLI that answers on stdout what it reads on stdin: its models, its quota. For
//! an adapter's `models` and `quota`, never for a run.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use od_protocol::adapter::ListModelsResult;
use od_protocol::{Manifest, Model, ModelsSource};

use super::program::{CloseStdin, Input, Program, run_with_input};
use crate::{Install, Machine};

/// One query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CliQuery {
    /// The arguments of the CLI.
    pub args: Vec<String>,
    /// The content of stdin.
    pub stdin: Vec<u8>,
    /// Variables on top of the allowlist, such as the credential the answer needs.
    pub env: BTreeMap<String, String>,
    /// How long the CLI may take.
    pub limit: Duration,
}

impl CliQuery {
    /// Returns what the CLI prints on stdout until it ends or the time is up. Every process it
    /// started has ended on return.
    ///
    /// # Errors
    /// The CLI cannot be started.
    pub fn run(self, install: &Install, machine: &Machine) -> io::Result<Vec<u8>> {
        self.start(CloseStdin::AfterInput, install, machine)
    }

    /// As [`CliQuery::run`], for an agent CLI that drops pending answers when stdin ends: stdin
    /// stays open until `is_complete` accepts the output.
    ///
    /// # Errors
    /// The CLI cannot be started.
    pub fn run_until(
        self,
        is_complete: fn(&[u8]) -> bool,
        install: &Install,
        machine: &Machine,
    ) -> io::Result<Vec<u8>> {
        self.start(CloseStdin::WhenComplete(is_complete), install, machine)
    }

    fn start(self, close: CloseStdin, install: &Install, machine: &Machine) -> io::Result<Vec<u8>> {
        let args: Vec<&str> = self.args.iter().map(String::as_str).collect();
        let program = Program::cli(install, &args, self.limit);
        let input = Input { stdin: self.stdin, close, env: self.env, stdout: None };
        Ok(run_with_input(&program, machine, input)?.stdout)
    }
}

/// Returns the variables that the manifest declares and that are set.
pub fn declared_env(manifest: &Manifest, machine: &Machine) -> BTreeMap<String, String> {
    let further = manifest.requirements.env.iter().map(|variable| &variable.name);
    let names = manifest.auth.env.iter().chain(further);
    names.filter_map(|name| Some((name.clone(), machine.var(name)?.to_owned()))).collect()
}

/// Builds the answer to `models/list` from a fixed list of ids and names, for a CLI that does not
/// list its models.
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
