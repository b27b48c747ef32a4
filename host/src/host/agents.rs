//! What the host says of agents and their adapters outside runs. What is done for it lives in `agents`,
//! `active`, `connections` and `trust`.

use std::ffi::OsString;

use od_protocol::Call;

use super::{Host, effective_path};
use crate::agents::live::{self, LiveAgents};
use crate::agents::{Agent, AgentList, Refresh};
use crate::connections::{self, Connections};
use crate::error::{Failure, HostError};
use crate::plugin::process;
use crate::settings::Trust;
use crate::trust::pins;
use crate::{active, auto};

impl Host {
    /// What each adapter finds on this machine, in the order of their ids. Waits until all rows hold.
    pub async fn agents(&self, refresh: Refresh) -> Vec<Agent> {
        live::look(self, refresh).await
    }

    /// The same at once, from what is known; what no longer holds is looked at meanwhile.
    pub async fn list_agents(&self) -> AgentList {
        live::list(self).await
    }

    /// Looks again at all agents, or at one. An adapter that hangs costs its own limit only.
    ///
    /// # Errors
    /// When there is no such agent.
    pub async fn refresh_agents(&self, agent: Option<&str>) -> Result<AgentList, HostError> {
        live::refresh(self, agent).await
    }

    /// One agent; waits until its row holds.
    ///
    /// # Errors
    /// When there is no such agent, or its adapter may not be used.
    pub async fn agent(&self, id: &str) -> Result<Agent, HostError> {
        let adapter = self.adapter(id).await?;
        Ok(live::look_at(self, &adapter, Refresh::WhenStale).await)
    }

    /// Whether there is an agent of each name; one that cannot run now counts too.
    ///
    /// # Errors
    /// For the first that is not there.
    pub async fn check_known(&self, agents: &[String]) -> Result<(), HostError> {
        for agent in agents {
            match self.adapter(agent).await {
                Err(error) if error.failure == Failure::AgentUnknown => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// The agent that `auto` means: the active one when it can run, otherwise the best that can. One that hangs is
    /// waited for only while it could be the better choice.
    ///
    /// # Errors
    /// When none can run, with what is missing.
    pub async fn auto(&self) -> Result<Agent, HostError> {
        let active = self.active_agent();
        let decided = |agents: &[Agent]| auto::is_decided(agents, active.as_deref());
        auto::choose(live::look_until(self, decided).await, active.as_deref())
    }

    /// The agent of runs that name none, when one was chosen.
    pub fn active_agent(&self) -> Option<String> {
        active::read(self.home())
    }

    /// Makes an agent the one that runs without a name get.
    ///
    /// # Errors
    /// `_od.run_active` while a run of this process is going on or waits; what the agent lacks when
    /// it cannot run.
    pub async fn set_active_agent(&self, id: &str) -> Result<Agent, HostError> {
        active::choose(self, id).await
    }

    /// Asks an agent's adapter outside a run, by a process that is kept for a while for the next call:
    /// `host.ask("codex", ListModelsParams::default()).await`.
    ///
    /// # Errors
    /// When there is no such agent, `capability_unsupported` before anything is started, or what the
    /// adapter answered.
    pub async fn ask<P: Call + Clone>(
        &self,
        agent: &str,
        params: P,
    ) -> Result<P::Result, HostError> {
        connections::ask(self, agent, params).await
    }

    /// Ends the adapters that are kept for calls outside runs, and waits until they are gone.
    pub async fn close_connections(&self) {
        self.shared.connections.close().await;
    }

    /// Ends every process that this program has started for an adapter, by whatever host, with everything below it;
    /// none is started any more. For the end of a program: those it leaves are found by the next host only.
    pub async fn end_processes(&self) {
        process::end_all().await;
    }

    /// Which adapters may be executed, the pins of `trust.json` included.
    pub fn trust(&self) -> Trust {
        pins::with_pins(&self.shared.settings, self.home()).trust.clone()
    }

    /// Pins an executable by its sha256, or takes that back; says which are pinned then.
    ///
    /// # Errors
    /// When it is no hash, when it is pinned in `settings.toml` and so cannot be taken back here, or when
    /// `trust.json` cannot be read or written.
    pub fn set_trusted(&self, sha256: &str, trusted: bool) -> Result<Trust, HostError> {
        pins::set(self.settings(), self.home(), sha256, trusted)?;
        Ok(self.trust())
    }

    /// Where adapters and agent CLIs are searched for.
    pub(crate) fn search_path(&self) -> OsString {
        effective_path(&self.shared.options)
    }

    /// The adapters that are kept for calls outside runs.
    pub(crate) fn connections(&self) -> &Connections {
        &self.shared.connections
    }

    /// What is known of the agents.
    pub(crate) fn live_agents(&self) -> &LiveAgents {
        &self.shared.live_agents
    }
}
