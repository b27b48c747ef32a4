//! The methods of [`Host`] about agents and their adapters outside runs.

use od_protocol::api::RUN_ACTIVE;
use od_protocol::{Call, ErrorKind};

use super::Host;
use crate::agents::{Agent, AgentList, Refresh};
use crate::discover::pins;
use crate::error::HostError;
use crate::plugin::process;
use crate::settings::Trust;

impl Host {
    /// All agents, sorted by id. Waits until every detection has finished.
    pub async fn agents(&self, refresh: Refresh) -> Vec<Agent> {
        self.agent_registry().all(refresh).await
    }

    /// All agents from what is known; detects stale ones in the background.
    pub async fn list_agents(&self) -> AgentList {
        self.agent_registry().list().await
    }

    /// Detects all agents again, or one of them. An adapter that hangs delays only itself.
    ///
    /// # Errors
    /// When no adapter has this id.
    pub async fn refresh_agents(&self, agent: Option<&str>) -> Result<AgentList, HostError> {
        self.agent_registry().refresh(agent).await
    }

    /// One agent. Waits until its detection has finished.
    ///
    /// # Errors
    /// When no adapter has this id, or it must not be used.
    pub async fn agent(&self, id: &str) -> Result<Agent, HostError> {
        self.agent_registry().get(id).await
    }

    /// Checks that each id has an adapter; an agent that cannot run now passes.
    ///
    /// # Errors
    /// For the first id without an adapter.
    pub async fn check_known(&self, agents: &[String]) -> Result<(), HostError> {
        self.agent_registry().check_known(agents).await
    }

    /// The agent that `auto` means: the active one when it can run, otherwise the best one that can. Waits for a slow
    /// adapter only while it could be the better choice.
    ///
    /// # Errors
    /// When no agent can run; the error names what is missing.
    pub async fn auto(&self) -> Result<Agent, HostError> {
        self.agent_registry().auto().await
    }

    /// The agent of runs that name none, when one was chosen.
    pub fn active_agent(&self) -> Option<String> {
        self.agent_registry().active()
    }

    /// Sets the agent of runs that name none.
    ///
    /// # Errors
    /// `_od.run_active` while this process has a live run; what the agent needs when it cannot run.
    pub async fn set_active_agent(&self, id: &str) -> Result<Agent, HostError> {
        if let Some(run) = self.live_runs().iter().find(|run| run.status().is_alive()) {
            let text = format!("cannot change the active agent while run {} is active", run.id());
            return Err(HostError::protocol(ErrorKind::from_wire(RUN_ACTIVE), text)
                .with_hint("wait for its end, or cancel it with runs/cancel"));
        }
        self.agent_registry().set_active(id).await
    }

    /// Calls an agent's adapter outside a run. The process is kept for some time for the next call:
    /// `host.ask("demo", ListModelsParams::default()).await`.
    ///
    /// # Errors
    /// When no adapter has this id, `capability_unsupported` before anything is started, or the adapter's error.
    pub async fn ask<P: Call + Clone>(
        &self,
        agent: &str,
        params: P,
    ) -> Result<P::Result, HostError> {
        self.agent_registry().call(agent, params).await
    }

    /// Closes the adapters that are kept for calls outside runs, and waits until they have exited.
    pub async fn close_connections(&self) {
        self.agent_registry().close_connections().await;
    }

    /// Ends every adapter process of this program and everything below it, for any host in it. No adapter starts after
    /// this call. Use it at program exit: only the next host would find processes that are left.
    pub async fn end_processes(&self) {
        process::end_all().await;
    }

    /// Which adapters may be executed, including the pins in `trust.json`.
    pub fn trust(&self) -> Trust {
        self.context().trust()
    }

    /// Pins an executable by its sha256, or removes the pin. Returns the current pins.
    ///
    /// # Errors
    /// When the text is not a sha256, when it is pinned in `settings.toml` and so cannot be removed here, or when
    /// `trust.json` cannot be read or written.
    pub fn set_trusted(&self, sha256: &str, trusted: bool) -> Result<Trust, HostError> {
        pins::set(self.settings(), self.home(), sha256, trusted)?;
        Ok(self.trust())
    }
}
