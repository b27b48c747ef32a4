//! All agents of a host. Delegates to the modules beside it.

use std::sync::Arc;

use od_protocol::Call;

use super::active;
use super::agent::{Agent, AgentList, Refresh};
use super::auto;
use super::connections::Connections;
use super::detection::Detections;
use crate::context::HostContext;
use crate::discover::Adapter;
use crate::error::{Failure, HostError};

/// All agents of a host. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Agents {
    pub(super) context: HostContext,
    pub(super) detections: Arc<Detections>,
    connections: Arc<Connections>,
}

impl Agents {
    pub(crate) fn new(context: HostContext) -> Self {
        let detections = Arc::new(Detections::new(context.home().agents_file()));
        Self { context, detections, connections: Arc::default() }
    }

    /// One agent. Waits until its detection has finished.
    pub(crate) async fn get(&self, id: &str) -> Result<Agent, HostError> {
        let adapter = self.context.adapter(id).await?;
        Ok(self.detected(&adapter).await)
    }

    /// The agent of an adapter. Waits until its detection has finished.
    pub(crate) async fn detected(&self, adapter: &Adapter) -> Agent {
        self.detect_one(adapter, Refresh::WhenStale).await
    }

    /// Detects all agents again, or one of them.
    pub(crate) async fn refresh(&self, id: Option<&str>) -> Result<AgentList, HostError> {
        match id {
            Some(id) => {
                let adapter = self.context.adapter(id).await?;
                self.detect_one(&adapter, Refresh::Always).await;
                Ok(self.list().await)
            }
            None => Ok(self.refresh_all().await),
        }
    }

    /// Returns an error for the first id without an adapter. An agent that cannot run now passes.
    pub(crate) async fn check_known(&self, ids: &[String]) -> Result<(), HostError> {
        for id in ids {
            match self.context.adapter(id).await {
                Err(error) if error.failure == Failure::AgentUnknown => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// The agent that `auto` means.
    pub(crate) async fn auto(&self) -> Result<Agent, HostError> {
        let active = self.active();
        let decided = |agents: &[Agent]| auto::is_decided(agents, active.as_deref());
        auto::choose(self.detect_until(decided).await, active.as_deref())
    }

    /// The active agent, when one was chosen.
    pub(crate) fn active(&self) -> Option<String> {
        active::read(self.context.home())
    }

    /// Makes an agent the active one.
    pub(crate) async fn set_active(&self, id: &str) -> Result<Agent, HostError> {
        let agent = self.get(id).await?;
        active::write(self.context.home(), &agent)?;
        Ok(agent)
    }

    pub(crate) async fn call<P: Call + Clone>(
        &self,
        id: &str,
        params: P,
    ) -> Result<P::Result, HostError> {
        self.connections.call(&self.context, id, params).await
    }

    /// Closes the adapters that are kept for calls outside runs, and waits until they have exited.
    pub(crate) async fn close_connections(&self) {
        self.connections.close().await;
    }
}
