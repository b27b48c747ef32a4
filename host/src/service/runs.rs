//! `runs/*` for a run that is there: its events, what is said to it, its end and its removal. Runs of other processes on
//! this machine work the same way, by way of `control`.

use std::time::Duration;

use od_protocol::api::{CancelRunParams, DeleteRunParams, DeleteRunResult, GET_RUN_RESULT, GetRunResultParams, InputRunParams, RUN_ACTIVE, RespondRunParams, RunResult};
use od_protocol::{ErrorKind, adapter};

use super::Service;
use crate::control::RunClient;
use crate::error::{Failure, HostError};
use crate::journal::folder::RunFolder;
use crate::journal::{EventReader, RunRecord, store};
use crate::run::recover;

const DEFAULT_GRACE_MS: u64 = 2000;

impl Service {
    /// The events of a run from a number on, while it goes on or later: what every face sends to its clients.
    ///
    /// # Errors
    /// `run_unknown`, or when the journal cannot be opened.
    pub fn events(&self, run_id: &str, from: u64) -> Result<EventReader, HostError> {
        let folder = self.folder_of(run_id)?;
        self.host().events_of(run_id, from).map_err(|error| explain(error, &folder, run_id))
    }

    /// Whether a run is over and an event was its last.
    pub(crate) fn is_last(&self, run_id: &str, seq: u64) -> bool {
        let last = self.folder_of(run_id).ok().and_then(|folder| folder.last_event().ok()?);
        last.is_some_and(|last| last.is_done && last.seq <= seq)
    }

    /// `runs/result`: waits as long as it is asked to.
    ///
    /// # Errors
    /// `run_unknown`, `timeout` when it is not over by then, `shutting_down` when this service ends first, or when its
    /// journal cannot be read.
    pub async fn run_result(&self, params: GetRunResultParams) -> Result<RunResult, HostError> {
        let GetRunResultParams { run_id, wait_ms } = params;
        let folder = self.folder_of(&run_id)?;
        let record = tokio::select! {
            biased;
            record = self.host().end_of(&run_id, wait_ms.map(Duration::from_millis)) => record,
            () = self.stopped() => Err(ended_before(&run_id)),
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
    /// `run_unknown` when it is not there or over, or what the adapter answered.
    pub async fn input_run(&self, params: InputRunParams) -> Result<adapter::InputRunResult, HostError> {
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
    /// `run_unknown` when it is not there or over, or what the adapter answered.
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

    /// `runs/cancel`: answers when the wish is on its way; the events tell the rest.
    ///
    /// # Errors
    /// When another process owns the run and cannot be reached.
    pub async fn cancel_run(&self, params: CancelRunParams) -> Result<adapter::CancelRunResult, HostError> {
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
            // It came to its end meanwhile, and so did the way to its owner.
            Err(_) => Ok(adapter::CancelRunResult { accepted: false }),
        }
    }

    /// `runs/delete`.
    ///
    /// # Errors
    /// `_od.run_active` while it goes on or waits.
    pub async fn delete_run(
        &self,
        params: DeleteRunParams,
    ) -> Result<DeleteRunResult, HostError> {
        let DeleteRunParams { run_id } = params;
        if let Some(run) = self.host().live_run(&run_id)
            && !run.status().is_alive()
        {
            run.wait().await; // Its adapter is on its way out.
        }
        match self.known(&run_id).await {
            Ok(record) if record.status.is_alive() => return Err(active(&run_id)),
            Err(error) if error.failure == UNKNOWN => {
                return Ok(DeleteRunResult { deleted: false });
            }
            // What cannot be read can still be removed.
            Ok(_) | Err(_) => {}
        }
        let folder = self.folder_of(&run_id)?;
        let removal = tokio::task::spawn_blocking(move || store::remove(&folder)).await;
        let deleted = removal.unwrap_or_else(|error| {
            Err(HostError::protocol(ErrorKind::Internal, format!("cannot remove a run: {error}")))
        })?;
        Ok(DeleteRunResult { deleted })
    }

    /// The record of a run by its whole id. One of this process is asked itself; one that is over costs a look at a
    /// small file, and only what must be closed, or belongs to another process, costs more.
    pub(super) async fn known(&self, run_id: &str) -> Result<RunRecord, HostError> {
        if let Some(run) = self.host().live_run(run_id) {
            return Ok(run.record());
        }
        let folder = self.folder_of(run_id)?;
        recover::settle_async(&folder).await.map_err(|error| explain(error, &folder, run_id))
    }

    async fn is_alive(&self, run_id: &str) -> bool {
        self.known(run_id).await.is_ok_and(|record| record.status.is_alive())
    }

    async fn owner_of(&self, run_id: &str) -> Result<RunClient, HostError> {
        let folder = self.folder_of(run_id)?;
        self.host().client_of(run_id).await.map_err(|error| explain(error, &folder, run_id))
    }

    /// Where a run would lie, if the id can be one.
    fn folder_of(&self, run_id: &str) -> Result<RunFolder, HostError> {
        match store::is_valid_id(run_id) {
            true => Ok(RunFolder::of(self.host().home(), run_id)),
            false => Err(unknown(run_id)),
        }
    }
}

/// There is no such run.
pub(super) const UNKNOWN: Failure = Failure::Protocol(ErrorKind::RunUnknown);

/// What cannot be read because there is no such run is no trouble of the disk.
fn explain(error: HostError, folder: &RunFolder, run_id: &str) -> HostError {
    if folder.has_record() { error } else { unknown(run_id) }
}

fn unknown(run_id: &str) -> HostError {
    HostError::new(UNKNOWN, format!("there is no run {run_id:?}")).with_hint("runs/list names them")
}

fn active(run_id: &str) -> HostError {
    let text = format!("the run {run_id} is going on");
    HostError::protocol(ErrorKind::from_wire(RUN_ACTIVE), text)
        .with_hint("cancel it first: runs/cancel, and wait for `done`")
}

fn too_long(run_id: &str) -> HostError {
    let text = format!("the journal of run {run_id} takes too long to read");
    HostError::protocol(ErrorKind::Timeout, text)
        .with_hint(format!("read it where it lies: od-host replay {run_id}"))
}

fn ended_before(run_id: &str) -> HostError {
    let text = format!("the host ended before the run {run_id} did");
    HostError::protocol(ErrorKind::ShuttingDown, text)
        .with_hint("start the host again (od-host serve) and ask again")
}
