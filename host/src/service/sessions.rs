//! `sessions/*`: an agent's own sessions, read by its adapter.

use od_protocol::api::{ListAgentSessionsParams, ReadAgentSessionParams};
use od_protocol::{ListSessionsParams, ListSessionsResult, ReadSessionsParams, ReadSessionsResult};

use super::Service;
use crate::error::HostError;

impl Service {
    /// `sessions/list`.
    ///
    /// # Errors
    /// `capability_unsupported`, or what the adapter answered.
    pub async fn list_sessions(
        &self,
        params: ListAgentSessionsParams,
    ) -> Result<ListSessionsResult, HostError> {
        let ListAgentSessionsParams { agent, cwd, limit } = params;
        self.host().ask(&agent, ListSessionsParams { cwd, limit }).await
    }

    /// `sessions/read`.
    ///
    /// # Errors
    /// `capability_unsupported`, `session_unknown`, or what else the adapter answered.
    pub async fn read_session(
        &self,
        params: ReadAgentSessionParams,
    ) -> Result<ReadSessionsResult, HostError> {
        let ReadAgentSessionParams { agent, id, cwd } = params;
        self.host().ask(&agent, ReadSessionsParams { id, cwd }).await
    }
}
