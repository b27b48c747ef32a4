//! The data that all contexts of one suite run share: the agent's command, the fake model, the
//! agent's `initialize` result and the violations found so far.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::{Value, json};

use super::agent::{Agent, START_TIMEOUT};
use super::client::Policy;
use super::command::AgentCommand;
use super::invariants::AgentInvariants;
use crate::check::Check;
use crate::fake_cli::pattern::Bindings;
use crate::invariants::{Label, Violations};
use crate::model::{ModelOptions, ModelServer, RecordedRequest};
use crate::outcome::{CheckOutcome, Failure, Finding, shorten};
use crate::pack::real_placeholders;
use crate::transcript::Location;

/// A fake API key.
const API_KEY: &str = "sk-conformance-fake-key";

/// The options of a suite run.
#[derive(Debug)]
pub struct AgentOptions {
    /// The agent.
    pub command: AgentCommand,
    /// The seed of every random value.
    pub seed: u64,
    /// The factor for every timeout.
    pub time_factor: f64,
    /// An empty folder for everything that the suite writes.
    pub work: PathBuf,
}

/// Why a suite run cannot start.
#[derive(Debug, thiserror::Error)]
pub enum AgentOpenError {
    /// The agent cannot be started.
    #[error("{0}")]
    Agent(String),
    /// An I/O error of the suite.
    #[error("{0}")]
    Suite(String),
}

/// One run of the suite against one agent.
pub struct AgentSuite {
    /// The agent.
    pub command: AgentCommand,
    /// The fake model, if the agent can use it.
    pub model: Option<ModelServer>,
    /// The result of `initialize`; null if it failed.
    pub initialize_result: Value,
    pub(super) initialize_location: Location,
    /// The seed of every random value.
    pub seed: u64,
    /// The factor for every timeout.
    pub time_factor: f64,
    /// The folder for everything that the suite writes.
    pub work: PathBuf,
    pub(super) rules: Violations,
    /// Why the fake model cannot be used.
    model_unreachable: Option<String>,
    /// The scenario for which the agent requests a permission, once it is known.
    pub(super) permission_scenario: OnceLock<Option<&'static str>>,
}

/// Opens a suite run: starts the agent once to read its `initialize` result and to test whether it
/// uses the fake model.
///
/// # Errors
/// When the agent cannot be started, or on an I/O error of the suite.
pub fn open_agent(options: AgentOptions) -> Result<AgentSuite, AgentOpenError> {
    let AgentOptions { command, seed, time_factor, work } = options;
    let failed = |error: std::io::Error| AgentOpenError::Suite(error.to_string());
    let model = match command.wants_model().map_err(failed)? {
        true => Some(
            ModelServer::start(ModelOptions::default())
                .map_err(|error| AgentOpenError::Suite(error.to_string()))?,
        ),
        false => None,
    };
    let mut suite = AgentSuite {
        command,
        model,
        initialize_result: Value::Null,
        initialize_location: Location { file: work.join("initialize/transcript.log"), line: 1 },
        seed,
        time_factor,
        work,
        rules: Violations::default(),
        model_unreachable: None,
        permission_scenario: OnceLock::new(),
    };
    let folder = suite.work.join("initialize");
    let mut agent = match suite.start(folder.clone(), &Label::default(), &no_capabilities()) {
        Ok(agent) => agent,
        Err(Finding::Blocked(message)) => return Err(AgentOpenError::Agent(message)),
        Err(other) => return Err(AgentOpenError::Suite(format!("{other:?}"))),
    };
    let initialize =
        agent.request("initialize", initialize_params(&no_capabilities()), START_TIMEOUT);
    if let Ok(Ok(initialize_result)) = initialize {
        suite.initialize_result = initialize_result;
        suite.initialize_location = agent.location();
        suite.model_unreachable = suite.model.as_ref().and_then(|_| suite.try_model(&mut agent));
    }
    Ok(suite)
}

impl AgentSuite {
    /// Starts an agent process in a separate folder without sending anything.
    ///
    /// # Errors
    /// Blocked if it cannot be started.
    pub(super) fn start(
        &self,
        folder: PathBuf,
        label: &Label,
        capabilities: &Value,
    ) -> Result<Agent, Finding> {
        std::fs::create_dir_all(&folder)?;
        let invariants =
            AgentInvariants::new(self.rules.clone(), label.clone(), capabilities.clone());
        Agent::start(&self.command, &self.placeholders(), folder, self.time_factor, invariants)
    }

    /// Returns the values of `{{url}}` (empty without a fake model), `{{secret}}` and `{{work}}`, the
    /// folder that contains the working folders of all sessions.
    fn placeholders(&self) -> Bindings {
        let url = self.model.as_ref().map(ModelServer::url).unwrap_or_default();
        let mut bindings = real_placeholders(&url, API_KEY);
        bindings.insert("work".to_owned(), self.work.to_string_lossy().into());
        bindings
    }

    /// Calls `authenticate` if an option requests it.
    ///
    /// # Errors
    /// Blocked if it is refused.
    pub(super) fn authenticate(&self, agent: &mut Agent) -> CheckOutcome {
        let Some(method) = &self.command.auth_method else { return Ok(()) };
        match agent.request("authenticate", json!({"methodId": method}), START_TIMEOUT)? {
            Ok(_) => Ok(()),
            Err(error) => Err(Finding::Blocked(format!(
                "authenticate with {method} was refused: {}",
                error.message
            ))),
        }
    }

    /// Returns an error if a check does not apply.
    pub(super) fn gate(&self, check: &Check) -> CheckOutcome {
        if self.initialize_result.is_null() && check.id != "ACP-HS-01" {
            let reason = "ACP-HS-01: the agent does not answer initialize";
            return Err(Finding::Blocked(reason.to_owned()));
        }
        if let Some(capability) = check.gate.capability
            && !self.declares(capability)
        {
            return Err(Finding::Skip(format!("the agent does not declare {capability}")));
        }
        match (check.gate.model, &self.model, &self.model_unreachable) {
            (true, None, _) => Err(Finding::Skip(
                "no option defines how the agent reaches the fake model (--env NAME={{url}})"
                    .to_owned(),
            )),
            (true, Some(_), Some(reason)) => Err(Finding::Blocked(reason.clone())),
            _ => Ok(()),
        }
    }

    /// Whether the agent declares a capability; a dotted path reaches into `agentCapabilities`.
    pub fn declares(&self, capability: &str) -> bool {
        let start = &self.initialize_result["agentCapabilities"];
        let found = capability.split('.').try_fold(start, |value, name| value.get(name));
        found.is_some_and(|value| value.is_object() || *value == Value::Bool(true))
    }

    /// Fails unless the condition holds for the result of `initialize`.
    pub(super) fn ensure_initialized_with(
        &self,
        holds: bool,
        expected: &str,
        got: &Value,
    ) -> CheckOutcome {
        if holds {
            return Ok(());
        }
        let failure = Failure::new(expected, shorten(&got.to_string(), 300)).sent("initialize");
        Err(failure.at(self.initialize_location.clone()).into())
    }

    /// Returns the requests to the model so far, without side calls.
    pub(super) fn model_requests(&self) -> Vec<RecordedRequest> {
        let is_main = |it: &RecordedRequest| it.wire.is_some() && !it.side_call;
        let requests = self.model.as_ref().map(ModelServer::requests).unwrap_or_default();
        requests.into_iter().filter(is_main).collect()
    }

    /// Returns the name and version of the agent.
    pub fn name(&self) -> (String, String) {
        let info = &self.initialize_result["agentInfo"];
        let text = |name: &str| info[name].as_str().map(|text| shorten(text, 60));
        let program = self.command.program.file_name().unwrap_or_default().to_string_lossy();
        (text("name").unwrap_or_else(|| program.into_owned()), text("version").unwrap_or_default())
    }

    /// Sends a plain prompt and returns why it does not reach the fake model.
    fn try_model(&self, agent: &mut Agent) -> Option<String> {
        let cwd = agent.folder.join("cwd");
        let outcome = std::fs::create_dir_all(&cwd)
            .map_err(Finding::from)
            .and_then(|()| self.authenticate(agent))
            .and_then(|()| agent.new_session(&cwd))
            .and_then(|session| agent.run_turn(&session, "please SCN:plain", Policy::Reject));
        agent.listen(Duration::ZERO);
        if !self.model_requests().is_empty() {
            return None;
        }
        let got = match outcome {
            Ok(turn) => turn.summary(),
            Err(Finding::Fail(failure)) => failure.got,
            Err(Finding::Skip(reason) | Finding::Blocked(reason)) => reason,
            Err(other) => format!("{other:?}"),
        };
        Some(format!(
            "the agent sent no request to the fake model; the first prompt resulted in: {got}"
        ))
    }
}

/// Returns the capabilities of a client that supports nothing.
pub(super) fn no_capabilities() -> Value {
    json!({"fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false})
}

/// Returns the parameters of `initialize` that a correct client sends.
pub(super) fn initialize_params(capabilities: &Value) -> Value {
    json!({
        "protocolVersion": 1,
        "clientCapabilities": capabilities,
        "clientInfo": {
            "name": "conformance",
            "title": "Conformance suite",
            "version": env!("CARGO_PKG_VERSION"),
        },
    })
}
