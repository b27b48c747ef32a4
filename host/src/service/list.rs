//! `runs/list` and `runs/get`: the state of runs, from their records.

use od_protocol::api::{GetRunParams, ListRunsParams, ListRunsResult, RunInfo, RunState};

use super::Service;
use crate::error::HostError;
use crate::journal::{RunRecord, RunStatus, store};

const DEFAULT_LIMIT: u32 = 50;
const MAX_LIMIT: u32 = 500;

impl Service {
    /// `runs/list`: reads one record more than it returns, to know whether another page follows.
    ///
    /// # Errors
    /// When the folder of runs cannot be read.
    pub async fn list_runs(&self, params: ListRunsParams) -> Result<ListRunsResult, HostError> {
        let service = self.clone();
        let listing = tokio::task::spawn_blocking(move || service.list(&params));
        listing.await.unwrap_or_else(|error| Err(HostError::panicked("list the runs", &error)))
    }

    /// `runs/get`.
    ///
    /// # Errors
    /// `run_unknown`.
    pub async fn get_run(&self, params: GetRunParams) -> Result<RunInfo, HostError> {
        self.record(&params.run_id).await.map(|record| self.info(record))
    }

    fn list(&self, params: &ListRunsParams) -> Result<ListRunsResult, HostError> {
        let limit = params.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT) as usize;
        let is_older = |id: &String| params.before.as_ref().is_none_or(|before| id < before);
        let matches = |info: &RunInfo| {
            params.agent.as_ref().is_none_or(|agent| info.agent == *agent)
                && params.state.is_none_or(|state| info.state == state)
        };
        let ids = store::ids(self.host().home())?;
        let read = |id: String| self.host().readable_record(&id).map(|record| self.info(record));
        let matching = ids.into_iter().filter(is_older).filter_map(read).filter(matches);
        let mut runs: Vec<RunInfo> = matching.take(limit + 1).collect();
        let more = runs.len() > limit;
        runs.truncate(limit);
        let next = runs.last().filter(|_| more).map(|info| info.run_id.clone());
        Ok(ListRunsResult { runs, next })
    }

    /// A run as the API returns it.
    pub(super) fn info(&self, record: RunRecord) -> RunInfo {
        let queue_position = self.shared.queue.position(&record.run_id);
        RunInfo {
            run_id: record.run_id,
            agent: record.agent,
            cwd: record.cwd.display().to_string(),
            prompt_preview: record.prompt_preview,
            model: record.model,
            state: state(record.status),
            queue_position,
            started_at: record.started_at,
            ended_at: record.ended_at,
            error_kind: record.error_kind,
            session_id: record.session_id,
            key: record.key,
            attempts: record.attempts,
        }
    }
}

fn state(status: RunStatus) -> RunState {
    match status {
        RunStatus::Queued => RunState::Queued,
        RunStatus::Running => RunState::Running,
        RunStatus::Completed => RunState::Completed,
        RunStatus::Failed => RunState::Failed,
        RunStatus::Cancelled => RunState::Cancelled,
        RunStatus::TimedOut => RunState::TimedOut,
    }
}
