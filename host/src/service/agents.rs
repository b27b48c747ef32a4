//! `agents/*`: what is there, which one is active, what an app can offer with it, and what its adapter
//! answers outside a run.

use od_protocol::api::{
    AgentFeatures, AgentStatus, GetAgentFeaturesParams, GetAgentHealthParams, GetAgentParams,
    GetAgentQuotaParams, ListAgentModelsParams, ListAgentsParams, ListAgentsResult,
    RefreshAgentsParams, SetActiveAgentParams, SetActiveAgentResult,
};
use od_protocol::{
    GetQuotaParams, GetQuotaResult, HealthAdapterParams, HealthAdapterResult, ListModelsParams,
    ListModelsResult,
};

use super::Service;
use crate::agents::{Agent, AgentList};
use crate::error::HostError;
use crate::features::features;

impl Service {
    /// `agents/list`.
    ///
    /// # Errors
    /// None: what is wrong with an agent stands in its row.
    pub async fn list_agents(
        &self,
        _params: ListAgentsParams,
    ) -> Result<ListAgentsResult, HostError> {
        Ok(self.statuses(&self.host().list_agents().await))
    }

    /// `agents/refresh`.
    ///
    /// # Errors
    /// When the one agent that is named is not there.
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
    /// When there is no such agent, or its adapter may not be used.
    pub async fn get_agent(&self, params: GetAgentParams) -> Result<AgentStatus, HostError> {
        let agent = self.known_agent(&params.agent).await?;
        Ok(status(&agent, self.host().active_agent().as_deref()))
    }

    /// `agents/setActive`.
    ///
    /// # Errors
    /// `_od.run_active` while a run is going on or waits; what the agent lacks when it cannot run.
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
    /// When there is no such agent; without a name, when none is active and none can run.
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
    /// `capability_unsupported`, or what the adapter answered.
    pub async fn agent_models(
        &self,
        params: ListAgentModelsParams,
    ) -> Result<ListModelsResult, HostError> {
        self.host().ask(&params.agent, ListModelsParams::default()).await
    }

    /// `agents/quota`.
    ///
    /// # Errors
    /// `capability_unsupported`, or what the adapter answered.
    pub async fn agent_quota(
        &self,
        params: GetAgentQuotaParams,
    ) -> Result<Option<GetQuotaResult>, HostError> {
        self.host().ask(&params.agent, GetQuotaParams {}).await
    }

    /// `agents/health`.
    ///
    /// # Errors
    /// When there is no such agent, or its adapter does not answer.
    pub async fn agent_health(
        &self,
        params: GetAgentHealthParams,
    ) -> Result<HealthAdapterResult, HostError> {
        self.host().ask(&params.agent, HealthAdapterParams {}).await
    }

    /// One agent as it is known; one that is new is looked at first.
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
