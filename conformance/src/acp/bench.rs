//! The bench: what a check of an agent holds. It starts agents (a shared one, or fresh ones) and
//! makes random values that a seed repeats.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::Value;

use super::agent::{Agent, START_LIMIT, summary};
use super::suite::{AgentSuite, initialize_params, no_capabilities};
use crate::invariants::Label;
use crate::verdict::Finding;

/// How long an agent may take to write down what it knows when its stdin ends.
const EXIT_LIMIT: Duration = Duration::from_secs(5);

/// What a check of an agent holds.
pub struct AgentBench {
    /// What all benches share.
    pub suite: Arc<AgentSuite>,
    random: StdRng,
    label: Label,
    made: usize,
    worker: usize,
    shared: Option<Agent>,
}

impl AgentBench {
    /// A bench without a check; benches that work at once have numbers of their own.
    pub(super) fn new(suite: Arc<AgentSuite>, worker: usize) -> Self {
        let random = StdRng::seed_from_u64(suite.seed);
        Self { suite, random, label: Label::default(), made: 0, worker, shared: None }
    }

    /// Gets ready for a check: from here on random values depend on the seed and the id only.
    pub(super) fn turn_to(&mut self, id: &str) {
        self.label.set(id);
        let mut hasher = DefaultHasher::new();
        (self.suite.seed, id).hash(&mut hasher);
        self.random = StdRng::seed_from_u64(hasher.finish());
    }

    /// A short word that occurs nowhere else.
    pub(super) fn nonce(&mut self) -> String {
        crate::pack::nonce(&mut self.random)
    }

    /// A new empty folder for this check.
    ///
    /// # Errors
    /// A suite error when it cannot be made.
    pub(super) fn folder(&mut self, name: &str) -> Result<PathBuf, Finding> {
        self.made += 1;
        let name = format!("{}-{}-{}-{name}", self.label.get(), self.worker, self.made);
        let folder = self.suite.work.join(name);
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// The agent process that many checks share, initialised. A new one is started when the last
    /// one is gone.
    ///
    /// # Errors
    /// Blocked when it cannot be started or initialised.
    pub(super) fn agent(&mut self) -> Result<&mut Agent, Finding> {
        let is_there = self.shared.as_mut().is_some_and(|agent| {
            agent.listen(Duration::ZERO);
            agent.is_running() && !agent.inbox.ended
        });
        if !is_there {
            self.shared = None;
            self.shared = Some(self.launch()?);
        }
        self.shared.as_mut().ok_or_else(|| Finding::Suite("no shared agent".to_owned()))
    }

    /// A session of the shared agent in a folder of its own: its id and its folder.
    ///
    /// # Errors
    /// As [`AgentBench::agent`] and [`Agent::new_session`].
    pub(super) fn session(&mut self) -> Result<(String, PathBuf), Finding> {
        let cwd = self.folder("cwd")?;
        let session = self.agent()?.new_session(&cwd)?;
        Ok((session, cwd))
    }

    /// Starts an agent process of the check's own, initialised by a client that can do nothing for
    /// it. It is killed with its tree when dropped.
    ///
    /// # Errors
    /// Blocked when it cannot be started or initialised, which is ACP-HS-01's business.
    pub(super) fn launch(&mut self) -> Result<Agent, Finding> {
        self.launch_with(&no_capabilities())
    }

    /// The same with a client that declares these capabilities.
    ///
    /// # Errors
    /// As [`AgentBench::launch`].
    pub(super) fn launch_with(&mut self, capabilities: &Value) -> Result<Agent, Finding> {
        let agent = self.start_with(capabilities)?;
        self.introduced(agent, capabilities)
    }

    fn introduced(&self, mut agent: Agent, capabilities: &Value) -> Result<Agent, Finding> {
        let params = initialize_params(capabilities);
        let blocked = |got: &str| {
            Finding::Blocked(format!("ACP-HS-01: the agent cannot be initialised: {got}"))
        };
        match agent.request("initialize", params, START_LIMIT) {
            Ok(Ok(_)) => self.suite.authenticate(&mut agent).map(|()| agent),
            Ok(reply) => Err(blocked(&summary(&reply))),
            Err(Finding::Fail(failure)) => Err(blocked(&failure.got)),
            Err(other) => Err(other),
        }
    }

    /// Starts an agent process of the check's own. Nothing is said to it yet.
    ///
    /// # Errors
    /// Blocked when it cannot be started.
    pub(super) fn start(&mut self) -> Result<Agent, Finding> {
        self.start_with(&no_capabilities())
    }

    /// Ends an agent as a client does and starts it again with the same home folder.
    ///
    /// # Errors
    /// As [`AgentBench::launch`].
    pub(super) fn relaunch(&mut self, mut agent: Agent) -> Result<Agent, Finding> {
        agent.close_stdin();
        agent.wait_exit(agent.limit(EXIT_LIMIT));
        let folder = agent.folder.clone();
        // Dropping it ends every process of its folder.
        drop(agent);
        let capabilities = no_capabilities();
        let agent = self.suite.start(folder, &self.label, &capabilities)?;
        self.introduced(agent, &capabilities)
    }

    fn start_with(&mut self, capabilities: &Value) -> Result<Agent, Finding> {
        let folder = self.folder("agent")?;
        self.suite.start(folder, &self.label, capabilities)
    }

    /// Gets ready for the next check: a shared agent that is still busy is ended.
    pub(super) fn tidy(&mut self) {
        let is_busy = self.shared.as_mut().is_some_and(|agent| {
            agent.listen(Duration::ZERO);
            agent.inbox.watch.has_open_request()
        });
        if is_busy {
            self.shared = None;
        }
    }
}
