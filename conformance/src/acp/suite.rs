//! What all benches of one judgement share: the agent's command, the fake model, what the agent said
//! of itself, and what was found so far.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::{Value, json};

use super::agent::{Agent, Launch, START_LIMIT};
use super::client::Policy;
use super::command::AgentCommand;
use super::watch::{Rules, Watch};
use crate::case::{Check, Tier};
use crate::invariants::Label;
use crate::model::{ModelOptions, ModelServer, RecordedRequest};
use crate::transcript::Place;
use crate::verdict::{Failure, Finding, Verdict, shorten};

/// What a judgement is opened with.
#[derive(Debug)]
pub struct AgentOptions {
    /// The agent.
    pub command: AgentCommand,
    /// Decides every random value.
    pub seed: u64,
    /// How much of a check that can be long is done.
    pub tier: Tier,
    /// Factor on every limit of time.
    pub patience: f64,
    /// An empty folder for everything that is written.
    pub work: PathBuf,
}

/// Why a judgement cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum AgentOpenError {
    /// The agent cannot be started.
    #[error("{0}")]
    Agent(String),
    /// Something of the suite or the machine.
    #[error("{0}")]
    Suite(String),
}

/// One judgement of one agent.
pub struct AgentSuite {
    /// The agent.
    pub command: AgentCommand,
    /// The fake model, when the agent can be pointed at it.
    pub model: Option<ModelServer>,
    /// What `initialize` was answered with; null when it was not.
    pub introduction: Value,
    /// Where that stands in a transcript.
    pub(super) introduced_at: Place,
    /// Decides every random value.
    pub seed: u64,
    /// How much of a check that can be long is done.
    pub tier: Tier,
    /// Factor on every limit of time.
    pub patience: f64,
    /// A folder for everything that is written.
    pub work: PathBuf,
    /// What became of the rules over every line.
    pub(super) rules: Rules,
    /// Why the fake model cannot be used after all.
    unreached: Option<String>,
    /// The scenario for which the agent asks a permission, once it is known.
    pub(super) asks_for: OnceLock<Option<&'static str>>,
}

/// Opens a judgement: the agent is started once to hear what it says of itself, and whether it
/// reaches the fake model.
///
/// # Errors
/// When the agent cannot be started, or the suite cannot work.
pub fn open_agent(options: AgentOptions) -> Result<AgentSuite, AgentOpenError> {
    let AgentOptions { command, seed, tier, patience, work } = options;
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
        introduction: Value::Null,
        introduced_at: Place { file: work.join("opening/transcript.log"), line: 1 },
        seed,
        tier,
        patience,
        work,
        rules: Rules::default(),
        unreached: None,
        asks_for: OnceLock::new(),
    };
    let folder = suite.work.join("opening");
    let mut agent = match suite.start(folder.clone(), &Label::default(), &no_capabilities()) {
        Ok(agent) => agent,
        Err(Finding::Blocked(message)) => return Err(AgentOpenError::Agent(message)),
        Err(other) => return Err(AgentOpenError::Suite(format!("{other:?}"))),
    };
    let introduced =
        agent.request("initialize", initialize_params(&no_capabilities()), START_LIMIT);
    if let Ok(Ok(introduction)) = introduced {
        suite.introduction = introduction;
        suite.introduced_at = agent.place();
        suite.unreached = suite.model.as_ref().and_then(|_| suite.try_model(&mut agent));
    }
    Ok(suite)
}

impl AgentSuite {
    /// Starts an agent process in a folder of its own. Nothing is said to it yet.
    ///
    /// # Errors
    /// Blocked when it cannot be started.
    pub(super) fn start(
        &self,
        folder: PathBuf,
        label: &Label,
        capabilities: &Value,
    ) -> Result<Agent, Finding> {
        std::fs::create_dir_all(&folder)?;
        let url = self.model.as_ref().map(ModelServer::url).unwrap_or_default();
        Agent::start(Launch {
            command: &self.command,
            url: &url,
            secret: "sk-conformance-opens-nothing",
            folder,
            patience: self.patience,
            watch: Watch::new(self.rules.clone(), label.clone(), capabilities.clone()),
        })
    }

    /// Calls `authenticate`, when it was asked for.
    ///
    /// # Errors
    /// Blocked when it is refused.
    pub(super) fn authenticate(&self, agent: &mut Agent) -> Verdict {
        let Some(method) = &self.command.auth_method else { return Ok(()) };
        match agent.request("authenticate", json!({"methodId": method}), START_LIMIT)? {
            Ok(_) => Ok(()),
            Err(error) => Err(Finding::Blocked(format!(
                "authenticate with {method} was refused: {}",
                error.message
            ))),
        }
    }

    /// Whether a check applies.
    pub(super) fn gate(&self, check: &Check) -> Verdict {
        if self.introduction.is_null() && check.id != "ACP-HS-01" {
            let words = "ACP-HS-01: the agent does not answer initialize";
            return Err(Finding::Blocked(words.to_owned()));
        }
        if let Some(capability) = check.gate.capability
            && !self.declares(capability)
        {
            return Err(Finding::Skip(format!("the agent does not declare {capability}")));
        }
        match (check.gate.model, &self.model, &self.unreached) {
            (true, None, _) => Err(Finding::Skip(
                "nothing says how the agent reaches the fake model (--env NAME={{url}})".to_owned(),
            )),
            (true, Some(_), Some(reason)) => Err(Finding::Blocked(reason.clone())),
            _ => Ok(()),
        }
    }

    /// Whether the agent declares a capability; a dotted path reaches into `agentCapabilities`.
    pub fn declares(&self, capability: &str) -> bool {
        let start = &self.introduction["agentCapabilities"];
        let found = capability.split('.').try_fold(start, |value, name| value.get(name));
        found.is_some_and(|value| value.is_object() || *value == Value::Bool(true))
    }

    /// Fails unless something holds of what `initialize` was answered with.
    pub(super) fn ensure_introduced(&self, holds: bool, expected: &str, got: &Value) -> Verdict {
        if holds {
            return Ok(());
        }
        let failure = Failure::new(expected, shorten(&got.to_string(), 300)).sent("initialize");
        Err(failure.at(self.introduced_at.clone()).into())
    }

    /// What the model was asked so far, without calls on the side.
    pub(super) fn asked(&self) -> Vec<RecordedRequest> {
        let is_main = |it: &RecordedRequest| it.wire.is_some() && !it.side_call;
        let requests = self.model.as_ref().map(ModelServer::requests).unwrap_or_default();
        requests.into_iter().filter(is_main).collect()
    }

    /// What the agent calls itself, with its version.
    pub fn name(&self) -> (String, String) {
        let info = &self.introduction["agentInfo"];
        let text = |name: &str| info[name].as_str().map(|text| shorten(text, 60));
        let program = self.command.program.file_name().unwrap_or_default().to_string_lossy();
        (text("name").unwrap_or_else(|| program.into_owned()), text("version").unwrap_or_default())
    }

    /// Whether a plain prompt reaches the fake model; the reason when it does not.
    fn try_model(&self, agent: &mut Agent) -> Option<String> {
        let cwd = agent.folder.join("cwd");
        let outcome = std::fs::create_dir_all(&cwd)
            .map_err(Finding::from)
            .and_then(|()| self.authenticate(agent))
            .and_then(|()| agent.new_session(&cwd))
            .and_then(|session| agent.play(&session, "please SCN:plain", Policy::Reject));
        agent.listen(Duration::ZERO);
        if !self.asked().is_empty() {
            return None;
        }
        let got = match outcome {
            Ok(turn) => turn.summary(),
            Err(Finding::Fail(failure)) => failure.got,
            Err(Finding::Skip(reason) | Finding::Blocked(reason)) => reason,
            Err(other) => format!("{other:?}"),
        };
        Some(format!("the agent never asked the fake model; a first prompt came to: {got}"))
    }
}

/// What a client declares that can do nothing for its agent.
pub(super) fn no_capabilities() -> Value {
    json!({"fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false})
}

/// The parameters of `initialize` that a good client sends.
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
