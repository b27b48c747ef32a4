//! Models: asked of the CLI itself. When it does not answer, nothing is made up: which models there
//! are depends on the person's providers.

use std::collections::BTreeMap;
use std::time::Duration;

use od_protocol::{ErrorKind, ErrorObject, ListModelsResult};
use od_sdk::probe::converse::{Talk, converse};
use od_sdk::{Install, Machine, parts};

use crate::manifest;

/// `models/list` has fifteen seconds; the command takes three on an idle machine.
const LIMIT: Duration = Duration::from_secs(13);

/// The models the CLI offers.
///
/// # Errors
/// `timeout` or `cli_crashed` when it names none in time.
pub fn list(machine: &Machine, install: &Install) -> Result<ListModelsResult, ErrorObject> {
    let declared = manifest::manifest();
    let names = declared.auth.env.iter().chain(declared.requirements.env.iter().map(|v| &v.name));
    let mut env: BTreeMap<String, String> =
        names.filter_map(|name| Some((name.clone(), machine.var(name)?.to_owned()))).collect();
    env.insert("OPENCODE_DISABLE_AUTOUPDATE".to_owned(), "1".to_owned());
    let talk = Talk { args: vec!["models".to_owned()], env, limit: LIMIT, ..Talk::default() };
    let failure = |why: String| {
        ErrorObject::new(ErrorKind::CliCrashed, format!("`opencode models` {why}"))
            .with_hint("try it by hand: opencode models")
    };
    let stdout = converse(talk, install, machine)
        .map_err(|error| failure(format!("could not be started: {error}")))?;
    parts::listed_models(&String::from_utf8_lossy(&stdout))
        .ok_or_else(|| failure("named no model in time".to_owned()))
}
