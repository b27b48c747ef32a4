//! How the embedded agent is found and started.

use od_protocol::adapter::{ListModelsResult, StartRunParams};
use od_protocol::{
    AuthState, AuthStatus, Credential, CredentialKind, Effort, ErrorKind, ErrorObject, Manifest,
    Model, ModelsSource, SessionMode,
};
use od_sdk::invocation::StdinMode;
use od_sdk::{Adapter, Install, Invocation, Machine, Mapper};

use crate::events::Events;
use crate::native::ToAgent;

/// Starts this executable as the agent instead of the adapter.
pub(crate) const AGENT_FLAG: &str = "--demo-agent";

/// Id and display name of each model; the first is the default.
pub(crate) const MODELS: [(&str, &str); 2] =
    [("demo-1", "Demo One, at reading speed"), ("demo-1-fast", "Demo One without the pauses")];

/// The demo adapter.
pub(crate) struct Demo;

impl Adapter for Demo {
    fn manifest(&self) -> Manifest {
        crate::manifest::manifest()
    }

    fn auth(&self, _machine: &Machine) -> AuthStatus {
        AuthStatus {
            state: AuthState::Ok,
            method: Some("none".to_owned()),
            credential: Some(Credential {
                kind: CredentialKind::None,
                name: "no credential".to_owned(),
            }),
            expires_at: None,
            guidance: None,
        }
    }

    /// The agent is embedded unless the host sets `cliPath`, as the conformance suite does.
    fn locate(&self, machine: &Machine) -> Result<Install, ErrorObject> {
        if machine.cli_path.is_some() {
            return od_sdk::probe::locate(&self.manifest(), machine);
        }
        let path = std::env::current_exe().map_err(|error| {
            ErrorObject::new(
                ErrorKind::CliNotFound,
                format!("cannot read the path of this executable: {error}"),
            )
        })?;
        Ok(Install {
            path,
            leading_args: vec![AGENT_FLAG.to_owned()],
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            tested_version: Some(od_protocol::TestedVersion::Same),
            ..Install::default()
        })
    }

    fn invocation(
        &self,
        start_run_params: &StartRunParams,
        _install: &Install,
    ) -> Result<Invocation, ErrorObject> {
        let mut invocation = Invocation { stdin_mode: StdinMode::KeepOpen, ..Default::default() };
        let model = start_run_params.model.as_deref().unwrap_or(MODELS[0].0);
        if !MODELS.iter().any(|(id, _)| *id == model) {
            return Err(ErrorObject::new(
                ErrorKind::ModelUnknown,
                format!("the demo agent has no model {model:?}"),
            )
            .with_hint(format!("its models are {} and {}", MODELS[0].0, MODELS[1].0)));
        }
        invocation.flag("--model", model);
        if let Some(effort) = start_run_params.effort {
            invocation.flag("--effort", effort.as_str());
        }
        if let Some(system) = &start_run_params.prompt.system {
            invocation.hidden_flag("--system", system);
        }
        let session = &start_run_params.session;
        match (session.mode, &session.id) {
            (SessionMode::Resume, Some(id)) => invocation.flag("--resume", id),
            (SessionMode::Fork, Some(id)) => invocation.flag("--fork", id),
            (_, Some(id)) => invocation.flag("--session", id),
            (_, None) => &mut invocation,
        };
        let first_command = ToAgent::Say { text: start_run_params.prompt.text.clone() };
        invocation.stdin = serde_json::to_vec(&first_command).map_err(|error| {
            ErrorObject::new(
                ErrorKind::Internal,
                format!("cannot write the prompt as JSON: {error}"),
            )
        })?;
        invocation.stdin.push(b'\n');
        Ok(invocation)
    }

    fn mapper(&self, start_run_params: &StartRunParams, _install: &Install) -> Box<dyn Mapper> {
        Box::new(Events::new(&start_run_params.session))
    }

    fn models(&self, _machine: &Machine) -> Result<ListModelsResult, ErrorObject> {
        let efforts = vec![Effort::Low, Effort::Medium, Effort::High, Effort::Max];
        let model = |(index, (id, name)): (usize, &(&str, &str))| Model {
            id: (*id).to_owned(),
            name: Some((*name).to_owned()),
            default: index == 0,
            context_window: Some(8_192),
            efforts: Some(efforts.clone()),
        };
        Ok(ListModelsResult {
            models: MODELS.iter().enumerate().map(model).collect(),
            current: Some(MODELS[0].0.to_owned()),
            source: ModelsSource::Static,
        })
    }
}
