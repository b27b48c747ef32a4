//! `runs/*` for an existing run: events, input, cancel, result and removal. Runs of other processes on this machine are
//! reached through `control`.

use std::time::Duration;

use od_protocol::api::{
    CancelRunParams, DeleteRunParams, DeleteRunResult, GET_RUN_RESULT, GetRunResultParams,
    InputRunParams, RUN_ACTIVE, RespondRunParams, RunResult,
};
use od_protocol::{ErrorKind, adapter};

use super::Service;
use crate::control::RunClient;
use crate::error::{Failure, HostError};
use crate::journal::folder::RunFolder;
use crate::journal::{EventReader, RunRecord, store};
use crate::run::recover;

const DEFAULT_GRACE_MS: u64 = 2000;

impl Service {
    /// Reads the events of a live or ended run, starting at this number.
    ///
    /// # Errors
    /// `run_unknown`, or when the journal cannot be opened.
    pub fn events(&self, run_id: &str, from: u64) -> Result<EventReader, HostError> {
        let folder = self.folder_of(run_id)?;
        self.host().events_of(run_id, from).map_err(|error| explain(error, &folder, run_id))
    }

    /// Whether a run has ended with this event or an earlier one.
    #[cfg(feature = "serve")]
    pub(crate) fn is_last(&self, run_id: &str, seq: u64) -> bool {
        let last = self.folder_of(run_id).ok().and_then(|folder| folder.last_event().ok()?);
        last.is_some_and(|last| last.is_done && last.seq <= seq)
    }

    /// `runs/result`: waits up to `waitMs` for the end of the run.
    ///
    /// # Errors
    /// `run_unknown`, `timeout` when the run has not ended by then, `shutting_down` when this service stops first, or
    /// when the journal cannot be read.
    pub async fn run_result(&self, params: GetRunResultParams) -> Result<RunResult, HostError> {
        let GetRunResultParams { run_id, wait_ms } = params;
        let folder = self.folder_of(&run_id)?;
        let record = tokio::select! {
            biased;
            record = self.host().end_of(&run_id, wait_ms.map(Duration::from_millis)) => record,
            () = self.stopped() => Err(stopped_before(&run_id)),
        };
        let record = record.map_err(|error| explain(error, &folder, &run_id))?;
        let composing = self.host().result_of(record);
        let result = tokio::time::timeout(GET_RUN_RESULT.limit(), composing).await;
        result
            .unwrap_or_else(|_| Err(too_long(&run_id)))
            .map_err(|error| explain(error, &folder, &run_id))
    }

    /// `runs/input`.
    ///
    /// # Errors
    /// `run_unknown` when no such run is live, or the error of the adapter.
    pub async fn input_run(
        &self,
        params: InputRunParams,
    ) -> Result<adapter::InputRunResult, HostError> {
        let InputRunParams { run_id, text, expected_turn } = params;
        let outcome = match self.host().live_run(&run_id) {
            Some(run) => run.input(text, expected_turn).await?,
            None => self.owner_of(&run_id).await?.input(text, expected_turn).await?,
        };
        Ok(adapter::InputRunResult { outcome })
    }

    /// `runs/respond`.
    ///
    /// # Errors
    /// `run_unknown` when no such run is live, or the error of the adapter.
    pub async fn respond_run(
        &self,
        params: RespondRunParams,
    ) -> Result<adapter::RespondRunResult, HostError> {
        let RespondRunParams { run_id, approval_id, outcome, updated_input, message } = params;
        let answer = adapter::RespondRunParams {
            run_id: run_id.clone(),
            approval_id,
            outcome,
            updated_input,
            message,
            by: None,
        };
        match self.host().live_run(&run_id) {
            Some(run) => run.respond(answer).await?,
            None => self.owner_of(&run_id).await?.respond(answer).await?,
        }
        Ok(adapter::RespondRunResult {})
    }

    /// `runs/cancel`: requests the cancel and does not wait for the end.
    ///
    /// # Errors
    /// When the owner of the run is another process and cannot be reached.
    pub async fn cancel_run(
        &self,
        params: CancelRunParams,
    ) -> Result<adapter::CancelRunResult, HostError> {
        let grace = Duration::from_millis(params.grace_ms.unwrap_or(DEFAULT_GRACE_MS));
        if let Some(run) = self.host().live_run(&params.run_id) {
            return Ok(adapter::CancelRunResult { accepted: run.cancel(grace) });
        }
        if !self.is_alive(&params.run_id).await {
            return Ok(adapter::CancelRunResult { accepted: false });
        }
        let asked = async { self.owner_of(&params.run_id).await?.cancel(grace).await };
        match asked.await {
            Ok(accepted) => Ok(adapter::CancelRunResult { accepted }),
            Err(error) if self.is_alive(&params.run_id).await => Err(error),
            // The run ended at the same time, and its control socket with it.
            Err(_) => Ok(adapter::CancelRunResult { accepted: false }),
        }
    }

    /// `runs/delete`.
    ///
    /// # Errors
    /// `_od.run_active` while the run is queued or running.
    pub async fn delete_run(&self, params: DeleteRunParams) -> Result<DeleteRunResult, HostError> {
        let DeleteRunParams { run_id } = params;
        if let Some(run) = self.host().live_run(&run_id)
            && !run.status().is_alive()
        {
            run.wait().await; // Its adapter is still exiting.
        }
        match self.record(&run_id).await {
            Ok(record) if record.status.is_alive() => return Err(active(&run_id)),
            Err(error) if error.failure == UNKNOWN => {
                return Ok(DeleteRunResult { deleted: false });
            }
            // An unreadable run can still be removed.
            Ok(_) | Err(_) => {}
        }
        let folder = self.folder_of(&run_id)?;
        let removal = tokio::task::spawn_blocking(move || store::remove(&folder)).await;
        let deleted =
            removal.unwrap_or_else(|error| Err(HostError::panicked("remove a run", &error)))?;
        Ok(DeleteRunResult { deleted })
    }

    /// The record of the run with exactly this id: from memory for a live run of this process, otherwise from disk.
    pub(super) async fn record(&self, run_id: &str) -> Result<RunRecord, HostError> {
        if let Some(run) = self.host().live_run(run_id) {
            return Ok(run.record());
        }
        let folder = self.folder_of(run_id)?;
        recover::settle_async(&folder).await.map_err(|error| explain(error, &folder, run_id))
    }

    async fn is_alive(&self, run_id: &str) -> bool {
        self.record(run_id).await.is_ok_and(|record| record.status.is_alive())
    }

    async fn owner_of(&self, run_id: &str) -> Result<RunClient, HostError> {
        let folder = self.folder_of(run_id)?;
        self.host().client_of(run_id).await.map_err(|error| explain(error, &folder, run_id))
    }

    /// The folder of a run, if the id is valid.
    fn folder_of(&self, run_id: &str) -> Result<RunFolder, HostError> {
        match store::is_valid_id(run_id) {
            true => Ok(RunFolder::of(self.host().home(), run_id)),
            false => Err(unknown(run_id)),
        }
    }
}

/// The run does not exist.
pub(super) const UNKNOWN: Failure = Failure::Protocol(ErrorKind::RunUnknown);

/// Replaces a read error of a run that does not exist by `run_unknown`.
fn explain(error: HostError, folder: &RunFolder, run_id: &str) -> HostError {
    if folder.has_record() { error } else { unknown(run_id) }
}

fn unknown(run_id: &str) -> HostError {
    HostError::new(UNKNOWN, format!("unknown run {run_id:?}")).with_hint("list the runs: runs/list")
}

fn active(run_id: &str) -> HostError {
    let text = format!("run {run_id} is active");
    HostError::protocol(ErrorKind::from_wire(RUN_ACTIVE), text)
        .with_hint("cancel it with runs/cancel and wait for `done`")
}

fn too_long(run_id: &str) -> HostError {
    let text = format!("the journal of run {run_id} takes too long to read");
    HostError::protocol(ErrorKind::Timeout, text)
        .with_hint(format!("read it on this machine: od-host replay {run_id}"))
}

fn stopped_before(run_id: &str) -> HostError {
    let text = format!("the host stopped before run {run_id} ended");
    HostError::protocol(ErrorKind::ShuttingDown, text)
        .with_hint("start the host again (od-host serve) and repeat the call")
}
