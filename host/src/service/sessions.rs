//! `sessions/*`: an agent's own sessions, read by its adapter.

use od_protocol::adapter;
use od_protocol::api::{ListSessionsParams, ReadSessionParams};

use super::Service;
use crate::error::HostError;

impl Service {
    /// `sessions/list`.
    ///
    /// # Errors
    /// `capability_unsupported`, or the adapter's error.
    pub async fn list_sessions(
        &self,
        params: ListSessionsParams,
    ) -> Result<adapter::ListSessionsResult, HostError> {
        let ListSessionsParams { agent, cwd, limit } = params;
        self.host().ask(&agent, adapter::ListSessionsParams { cwd, limit }).await
    }

    /// `sessions/read`.
    ///
    /// # Errors
    /// `capability_unsupported`, `session_unknown`, or another error of the adapter.
    pub async fn read_session(
        &self,
        params: ReadSessionParams,
    ) -> Result<adapter::ReadSessionResult, HostError> {
        let ReadSessionParams { agent, id, cwd } = params;
        self.host().ask(&agent, adapter::ReadSessionParams { id, cwd }).await
    }
}
