//! The context of a check of an agent: starts agents (shared or new) and provides random values
//! that a seed reproduces.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::Value;

use super::agent::{Agent, START_TIMEOUT, summary};
use super::suite::{AgentSuite, initialize_params, no_capabilities};
use crate::invariants::Label;
use crate::outcome::Finding;

/// The timeout for an agent to save its sessions after its stdin closes.
const EXIT_TIMEOUT: Duration = Duration::from_secs(5);

/// What a check of an agent works with.
pub struct AgentContext {
    /// The data that all contexts share.
    pub suite: Arc<AgentSuite>,
    random: StdRng,
    label: Label,
    folder_count: usize,
    worker: usize,
    shared: Option<Agent>,
}

impl AgentContext {
    /// Creates a context without a check; parallel workers have different numbers.
    pub(super) fn new(suite: Arc<AgentSuite>, worker: usize) -> Self {
        let random = StdRng::seed_from_u64(suite.seed);
        Self { suite, random, label: Label::default(), folder_count: 0, worker, shared: None }
    }

    /// Prepares for a check: from here on random values depend only on the seed and the id.
    pub(super) fn start_check(&mut self, id: &str) {
        self.label.set(id);
        let mut hasher = DefaultHasher::new();
        (self.suite.seed, id).hash(&mut hasher);
        self.random = StdRng::seed_from_u64(hasher.finish());
    }

    /// Returns a short text that occurs nowhere else.
    pub(super) fn nonce(&mut self) -> String {
        crate::pack::nonce(&mut self.random)
    }

    /// Creates a new empty folder for this check.
    pub(super) fn folder(&mut self, name: &str) -> Result<PathBuf, Finding> {
        self.folder_count += 1;
        let name = format!("{}-{}-{}-{name}", self.label.get(), self.worker, self.folder_count);
        let folder = self.suite.work.join(name);
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// Returns the agent process that many checks share, initialized. Starts a new one if the last
    /// one has ended.
    ///
    /// # Errors
    /// Blocked if it cannot be started or initialized.
    pub(super) fn agent(&mut self) -> Result<&mut Agent, Finding> {
        let is_usable = self.shared.as_mut().is_some_and(|agent| {
            agent.listen(Duration::ZERO);
            agent.is_running() && !agent.is_stdout_closed()
        });
        if !is_usable {
            self.shared = None;
            self.shared = Some(self.launch()?);
        }
        self.shared.as_mut().ok_or_else(|| Finding::Suite("no shared agent".to_owned()))
    }

    /// Opens a session of the shared agent in a new folder; returns its id and its folder.
    ///
    /// # Errors
    /// As [`AgentContext::agent`] and [`Agent::new_session`].
    pub(super) fn session(&mut self) -> Result<(String, PathBuf), Finding> {
        let cwd = self.folder("cwd")?;
        let session = self.agent()?.new_session(&cwd)?;
        Ok((session, cwd))
    }

    /// Starts a new agent process, initialized by a client without capabilities. It is killed with
    /// its process tree when dropped.
    ///
    /// # Errors
    /// Blocked if it cannot be started or initialized, which ACP-HS-01 reports.
    pub(super) fn launch(&mut self) -> Result<Agent, Finding> {
        self.launch_with(&no_capabilities())
    }

    /// The same with a client that declares these capabilities.
    pub(super) fn launch_with(&mut self, capabilities: &Value) -> Result<Agent, Finding> {
        let agent = self.start_with(capabilities)?;
        self.initialize(agent, capabilities)
    }

    fn initialize(&self, mut agent: Agent, capabilities: &Value) -> Result<Agent, Finding> {
        let params = initialize_params(capabilities);
        let blocked = |got: &str| {
            Finding::Blocked(format!("ACP-HS-01: the agent cannot be initialized: {got}"))
        };
        match agent.request("initialize", params, START_TIMEOUT) {
            Ok(Ok(_)) => self.suite.authenticate(&mut agent).map(|()| agent),
            Ok(reply) => Err(blocked(&summary(&reply))),
            Err(Finding::Fail(failure)) => Err(blocked(&failure.got)),
            Err(other) => Err(other),
        }
    }

    /// Starts a new agent process without sending anything.
    ///
    /// # Errors
    /// Blocked if it cannot be started.
    pub(super) fn start(&mut self) -> Result<Agent, Finding> {
        self.start_with(&no_capabilities())
    }

    /// Shuts an agent down and starts it again with the same home folder.
    pub(super) fn relaunch(&mut self, mut agent: Agent) -> Result<Agent, Finding> {
        agent.close_stdin();
        let limit = agent.limit(EXIT_TIMEOUT);
        agent.wait_exit(limit);
        let folder = agent.folder.clone();
        // Dropping it kills every process of its folder.
        drop(agent);
        let capabilities = no_capabilities();
        let agent = self.suite.start(folder, &self.label, &capabilities)?;
        self.initialize(agent, &capabilities)
    }

    fn start_with(&mut self, capabilities: &Value) -> Result<Agent, Finding> {
        let folder = self.folder("agent")?;
        self.suite.start(folder, &self.label, capabilities)
    }

    /// Ends a check: a shared agent that is still busy is killed.
    pub(super) fn finish_check(&mut self) {
        let is_busy = self.shared.as_mut().is_some_and(|agent| {
            agent.listen(Duration::ZERO);
            agent.inbox.invariants.has_open_request()
        });
        if is_busy {
            self.shared = None;
        }
    }
}
