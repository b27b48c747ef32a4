//! `runs/start`: from what a client asks for to a run.

use od_protocol::api::{RunState, StartRunsParams, StartRunsResult};

use super::{Client, Service};
use crate::error::HostError;
use crate::journal::store;
use crate::run::{Answers, RunRequest};

impl Service {
    /// `runs/start`.
    ///
    /// # Errors
    /// When the task cannot work as asked, the agent is not there, or a path is not allowed.
    pub async fn start_run(
        &self,
        _client: &Client,
        params: StartRunsParams,
    ) -> Result<StartRunsResult, HostError> {
        self.options().roots.check(&params.task)?;
        let agent = match params.agent {
            Some(agent) => agent,
            None => self.host().auto().await?.id,
        };
        let answers = if params.approvals { Answers::Client } else { Answers::Nobody };
        let params = params.task.into_start_run(store::fresh_id());
        let request = RunRequest { agent: agent.clone(), params, answers, ..RunRequest::default() };
        let run = self.host().start(request).await?;
        Ok(StartRunsResult {
            run_id: run.id().to_owned(),
            agent,
            state: RunState::Running,
            existing: false,
            queue_position: None,
        })
    }
}
