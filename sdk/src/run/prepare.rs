//! From `run/start` to a run that can begin: everything that can be refused is refused here, before
//! any process.

use std::sync::Arc;
use std::sync::mpsc::channel;

use od_protocol::adapter::StartRunParams;
use od_protocol::{ErrorObject, JsonObject, Manifest};

use super::launch::Launch;
use super::state::RunState;
use super::supervisor::{Channels, Supervisor};
use super::{environment, validate};
use crate::emit::Emitter;
use crate::invocation::ProcessUse;
use crate::outbox::Outbox;
use crate::{Adapter, Install, Invocation, Machine, RunOutput, Secret, probe};

/// What all runs of this adapter process have in common.
#[derive(Clone)]
pub(crate) struct RunSetup {
    pub(crate) adapter: Arc<dyn Adapter>,
    pub(crate) machine: Machine,
    pub(crate) max_line_bytes: u64,
}

/// Prepares a run: validates it, finds the agent CLI and builds its command line.
pub(super) fn prepare(
    setup: &RunSetup,
    mut start_run_params: StartRunParams,
    outbox: &Outbox,
) -> Result<(Arc<RunState>, Supervisor), ErrorObject> {
    let RunSetup { adapter, machine, max_line_bytes } = setup;
    let manifest = adapter.manifest();
    validate::check(&start_run_params, &manifest.capabilities)?;
    add_default_options(&mut start_run_params.adapter_options, &machine.options);
    let machine = machine.clone().with_env(&start_run_params.env);
    let mut install = adapter.locate(&machine)?;
    let auth = adapter.auth(&machine);
    let provider = adapter.provider(&machine, &auth);
    install.credential = auth.credential;
    install.host_answers_approvals = machine.host_answers_approvals;
    install.secret = Secret::fresh();
    let invocation =
        invocation(adapter.as_ref(), &manifest, &machine, &start_run_params, &install)?;
    let mapper = adapter.mapper(&start_run_params, &install);
    let env = environment::for_cli(&machine, &manifest, &install, &invocation, &start_run_params);
    let mut secrets = environment::secret_values(&machine, &manifest, &start_run_params);
    secrets.push(install.secret.reveal().to_owned());
    let emitter =
        Emitter::new(&start_run_params.run_id, *max_line_bytes, secrets).with_provider(provider);
    let (stdin_sender, stdin_commands) = channel();
    let (wake_sender, wakes) = channel();
    let mut output = RunOutput::new(emitter, stdin_sender);
    let http = adapter.http().map(|client| {
        let (http_sender, commands) = channel();
        output.http = Some(http_sender);
        (client, commands)
    });
    let run_id = start_run_params.run_id.clone();
    let state = Arc::new(RunState::new(run_id, mapper, output, outbox.clone(), wake_sender));
    let launch = Launch { install, invocation, env, start_run_params, folder: None };
    launch.check()?;
    let channels = Channels { wakes, stdin: Some(stdin_commands), http };
    let supervisor = Supervisor::new(state.clone(), launch, channels, outbox.clone());
    Ok((state, supervisor))
}

/// Adds the options of the host's settings that the run does not set itself.
fn add_default_options(run_options: &mut JsonObject, defaults: &JsonObject) {
    for (name, value) in defaults {
        if !run_options.contains_key(name) {
            run_options.insert(name.clone(), value.clone());
        }
    }
}

/// Builds the command line. A CLI below the minimum version is refused first, unless the run is
/// attached to a server: then the local CLI is not started.
fn invocation(
    adapter: &dyn Adapter,
    manifest: &Manifest,
    machine: &Machine,
    start_run_params: &StartRunParams,
    install: &Install,
) -> Result<Invocation, ErrorObject> {
    let invocation = adapter.invocation_on(machine, start_run_params, install);
    let process = invocation.as_ref().map(|invocation| invocation.process);
    if process != Ok(ProcessUse::Attached) {
        probe::check_version(manifest, install, machine)?;
    }
    invocation
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn options_of_run_win_over_settings() {
        let object = |value: serde_json::Value| value.as_object().cloned().expect("an object");
        let mut options = object(json!({ "mode": "acp", "retry": null }));
        add_default_options(
            &mut options,
            &object(json!({ "mode": "json", "retry": 3, "serverUrl": "http://127.0.0.1:1" })),
        );
        let expected = json!({ "mode": "acp", "retry": null, "serverUrl": "http://127.0.0.1:1" });
        assert_eq!(options, object(expected));
    }
}
