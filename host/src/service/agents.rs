//! `agents/*`: lists agents, sets the active one, derives features, and calls adapters outside of runs.

use od_protocol::Quota;
use od_protocol::adapter::{
    GetQuotaParams, HealthAdapterParams, HealthAdapterResult, ListModelsParams, ListModelsResult,
};
use od_protocol::api::{
    AgentFeatures, AgentStatus, GetAgentFeaturesParams, GetAgentHealthParams, GetAgentParams,
    GetAgentQuotaParams, ListAgentModelsParams, ListAgentsParams, ListAgentsResult,
    RefreshAgentsParams, SetActiveAgentParams, SetActiveAgentResult,
};

use super::Service;
use crate::agents::features::features;
use crate::agents::{Agent, AgentList};
use crate::error::HostError;

impl Service {
    /// `agents/list`: problems of an agent are in its row.
    ///
    /// # Errors
    /// Never.
    pub async fn list_agents(
        &self,
        _params: ListAgentsParams,
    ) -> Result<ListAgentsResult, HostError> {
        Ok(self.statuses(&self.host().list_agents().await))
    }

    /// `agents/refresh`.
    ///
    /// # Errors
    /// When the named agent is unknown.
    pub async fn refresh_agents(
        &self,
        params: RefreshAgentsParams,
    ) -> Result<ListAgentsResult, HostError> {
        let list = self.host().refresh_agents(params.agent.as_deref()).await?;
        Ok(self.statuses(&list))
    }

    /// `agents/get`.
    ///
    /// # Errors
    /// When the agent is unknown or its adapter is rejected.
    pub async fn get_agent(&self, params: GetAgentParams) -> Result<AgentStatus, HostError> {
        let agent = self.known_agent(&params.agent).await?;
        Ok(status(&agent, self.host().active_agent().as_deref()))
    }

    /// `agents/setActive`.
    ///
    /// # Errors
    /// `_od.run_active` while a run is active or queued; what is missing when the agent cannot run.
    pub async fn set_active_agent(
        &self,
        params: SetActiveAgentParams,
    ) -> Result<SetActiveAgentResult, HostError> {
        let agent = self.host().set_active_agent(&params.agent).await?;
        Ok(SetActiveAgentResult { features: features(&agent, &[]), active: agent.id })
    }

    /// `agents/features`.
    ///
    /// # Errors
    /// When the agent is unknown; without a name, when no agent is active or ready.
    pub async fn agent_features(
        &self,
        params: GetAgentFeaturesParams,
    ) -> Result<AgentFeatures, HostError> {
        let agent = match params.agent.or_else(|| self.host().active_agent()) {
            Some(id) => self.known_agent(&id).await?,
            None => self.host().auto().await?,
        };
        Ok(features(&agent, &params.skills))
    }

    /// `agents/models`.
    ///
    /// # Errors
    /// `capability_unsupported`, or the adapter's error.
    pub async fn agent_models(
        &self,
        params: ListAgentModelsParams,
    ) -> Result<ListModelsResult, HostError> {
        self.host().ask(&params.agent, ListModelsParams::default()).await
    }

    /// `agents/quota`.
    ///
    /// # Errors
    /// `capability_unsupported`, or the adapter's error.
    pub async fn agent_quota(
        &self,
        params: GetAgentQuotaParams,
    ) -> Result<Option<Quota>, HostError> {
        self.host().ask(&params.agent, GetQuotaParams {}).await
    }

    /// `agents/health`.
    ///
    /// # Errors
    /// When the agent is unknown or its adapter does not respond.
    pub async fn agent_health(
        &self,
        params: GetAgentHealthParams,
    ) -> Result<HealthAdapterResult, HostError> {
        self.host().ask(&params.agent, HealthAdapterParams {}).await
    }

    /// Returns an agent from the cache; detects a new one first.
    pub(super) async fn known_agent(&self, id: &str) -> Result<Agent, HostError> {
        let list = self.host().list_agents().await;
        match list.agents.into_iter().find(|agent| agent.id == id) {
            Some(agent) => Ok(agent),
            None => self.host().agent(id).await,
        }
    }

    fn statuses(&self, list: &AgentList) -> ListAgentsResult {
        let active = self.host().active_agent();
        let agents = list.agents.iter().map(|agent| status(agent, active.as_deref())).collect();
        ListAgentsResult { agents, active, refreshing: list.refreshing }
    }
}

fn status(agent: &Agent, active: Option<&str>) -> AgentStatus {
    AgentStatus { active: active == Some(&agent.id), ..AgentStatus::from(agent) }
}
