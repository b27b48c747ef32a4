//! `runs/start`: from the request of a client to a queued or running run.

use std::time::Duration;

use od_protocol::api::{RunInfo, RunState, StartRunParams, StartRunResult};

use super::runs::UNKNOWN;
use super::{Client, Service, keys};
use crate::error::HostError;
use crate::journal::store;
use crate::run::{Answers, Origin, RunRequest};

impl Service {
    /// `runs/start`.
    ///
    /// # Errors
    /// When the task is invalid, a path is not allowed, the agent is unknown, the key belongs to another task, the queue
    /// is full, or the host is shutting down. Later errors are in the run's events.
    pub async fn start_run(
        &self,
        client: &Client,
        mut params: StartRunParams,
    ) -> Result<StartRunResult, HostError> {
        keys::check_name("client", params.client.as_ref())?;
        keys::check_name("key", params.key.as_ref())?;
        self.options().roots.check(&params.task)?;
        let client = params.client.take().unwrap_or_else(|| client.0.clone());
        match params.key.clone() {
            Some(key) => self.start_once(client, key, params).await,
            None => {
                let origin = Origin { client: Some(client), ..Origin::default() };
                self.start_fresh(store::new_run_id(), origin, params).await
            }
        }
    }

    /// Starts a run unless its key already started one.
    async fn start_once(
        &self,
        client: String,
        key: String,
        params: StartRunParams,
    ) -> Result<StartRunResult, HostError> {
        let hash = keys::task_hash(&params)?;
        let claim = self.shared.keys.claim(self.host().home(), key.clone()).await?;
        if let Some(run_id) = claim.run_id()? {
            match self.record(&run_id).await {
                Ok(record) if record.task_hash.as_ref() != Some(&hash) => {
                    return Err(keys::conflict(&key, &run_id));
                }
                Ok(record) => return Ok(existing(self.info(record))),
                // The run was removed, or its host died before it created the run.
                Err(error) if error.failure == UNKNOWN => {}
                Err(error) => return Err(error),
            }
        }
        let run_id = store::new_run_id();
        claim.assign(&run_id)?;
        let origin = Origin { client: Some(client), key: Some(key), task_hash: Some(hash) };
        self.start_fresh(run_id, origin, params).await
    }

    async fn start_fresh(
        &self,
        run_id: String,
        origin: Origin,
        params: StartRunParams,
    ) -> Result<StartRunResult, HostError> {
        // An active agent that cannot run is not replaced silently: the run fails with what it needs.
        let agent = match params.agent.or_else(|| self.host().active_agent()) {
            Some(agent) => agent,
            None => self.host().auto().await?.id,
        };
        if let Some(policy) = &params.fallback {
            // An unknown fallback agent is reported now, not when the first agent fails.
            let known = self.host().check_known(&policy.agents).await;
            known.map_err(|error| error.with_which("fallback.agents"))?;
        }
        let request = RunRequest {
            agent: agent.clone(),
            params: params.task.into_start_run(run_id.clone()),
            answers: if params.approvals { Answers::Client } else { Answers::Deny },
            retry: params.retry,
            fallback: params.fallback,
            origin,
        };
        let (queue, limit) = (&self.shared.queue, params.queue_ms.map(Duration::from_millis));
        self.host().start_queued(request, queue, limit).await?;
        let queue_position = queue.position(&run_id);
        let state = if queue_position.is_some() { RunState::Queued } else { RunState::Running };
        Ok(StartRunResult { run_id, agent, state, existing: false, queue_position })
    }
}

fn existing(info: RunInfo) -> StartRunResult {
    StartRunResult {
        run_id: info.run_id,
        agent: info.agent,
        state: info.state,
        existing: true,
        queue_position: info.queue_position,
    }
}
