//! `runs/*` for a run that is there: its events, what is said to it, its end and its removal. Runs of other processes on
//! this machine work the same way, by way of `control`.

use std::time::Duration;

use od_protocol::api::{
    CancelRunsParams, DeleteRunsParams, DeleteRunsResult, GetRunResultParams, InputRunsParams,
    RUN_ACTIVE, RespondRunsParams, RunResult,
};
use od_protocol::{CancelRunResult, ErrorKind, InputRunResult, RespondRunParams, RespondRunResult};

use super::Service;
use crate::error::HostError;
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
        match self.host().live_run(run_id) {
            Some(run) => run.events(from),
            None => self.host().events(&self.known(run_id)?.run_id, from),
        }
    }

    /// `runs/result`.
    ///
    /// # Errors
    /// `run_unknown`, `timeout` when it is not over by then, or when its journal cannot be read.
    pub async fn run_result(&self, params: GetRunResultParams) -> Result<RunResult, HostError> {
        let record = self.known(&params.run_id)?;
        self.host().result(&record.run_id, params.wait_ms.map(Duration::from_millis)).await
    }

    /// `runs/input`.
    ///
    /// # Errors
    /// `run_unknown` when it is not there or over, or what the adapter answered.
    pub async fn input_run(&self, params: InputRunsParams) -> Result<InputRunResult, HostError> {
        let InputRunsParams { run_id, text, expected_turn } = params;
        let outcome = match self.host().live_run(&run_id) {
            Some(run) => run.input(text, expected_turn).await?,
            None => self.owner_of(&run_id).await?.input(text, expected_turn).await?,
        };
        Ok(InputRunResult { outcome })
    }

    /// `runs/respond`.
    ///
    /// # Errors
    /// `run_unknown` when it is not there or over, or what the adapter answered.
    pub async fn respond_run(
        &self,
        params: RespondRunsParams,
    ) -> Result<RespondRunResult, HostError> {
        let RespondRunsParams { run_id, approval_id, outcome, updated_input, message } = params;
        let answer = RespondRunParams {
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
        Ok(RespondRunResult {})
    }

    /// `runs/cancel`: answers when the wish is on its way; the events tell the rest.
    ///
    /// # Errors
    /// When another process owns the run and cannot be reached.
    pub async fn cancel_run(&self, params: CancelRunsParams) -> Result<CancelRunResult, HostError> {
        let grace = Duration::from_millis(params.grace_ms.unwrap_or(DEFAULT_GRACE_MS));
        if let Some(run) = self.host().live_run(&params.run_id) {
            return Ok(CancelRunResult { accepted: run.cancel(grace) });
        }
        let accepted = match self.known(&params.run_id) {
            Ok(record) if record.status.is_alive() => {
                self.owner_of(&params.run_id).await?.cancel(grace).await?
            }
            _ => false,
        };
        Ok(CancelRunResult { accepted })
    }

    /// `runs/delete`.
    ///
    /// # Errors
    /// `_od.run_active` while it goes on or waits.
    pub async fn delete_run(
        &self,
        params: DeleteRunsParams,
    ) -> Result<DeleteRunsResult, HostError> {
        self.settled(Some(&params.run_id)).await;
        let Ok(record) = self.known(&params.run_id) else {
            return Ok(DeleteRunsResult { deleted: false });
        };
        if record.status.is_alive() {
            let text = format!("the run {} is going on", record.run_id);
            return Err(HostError::protocol(ErrorKind::from_wire(RUN_ACTIVE), text)
                .with_hint("cancel it first: runs/cancel, and wait for `done`"));
        }
        let folder = self.host().home().run(&record.run_id);
        std::fs::remove_dir_all(&folder).map_err(|error| {
            HostError::storage(format!("cannot remove {}", folder.display()), &error)
        })?;
        Ok(DeleteRunsResult { deleted: true })
    }

    /// Whoever has seen a run's `done` is told by every other call that it is over, also while its adapter is on
    /// its way out. One run, or all of them.
    pub(super) async fn settled(&self, run_id: Option<&str>) {
        let runs = match run_id {
            Some(run_id) => self.host().live_run(run_id).into_iter().collect(),
            None => self.host().live_runs(),
        };
        for run in runs.iter().filter(|run| run.has_said_done()) {
            run.wait().await;
        }
    }

    /// The record of a run by its whole id.
    pub(super) fn known(&self, run_id: &str) -> Result<RunRecord, HostError> {
        let folder = RunFolder::of(self.host().home(), run_id);
        if store::is_proper_id(run_id) && folder.path().is_dir() {
            return recover::settle(&folder);
        }
        let text = format!("there is no run {run_id:?}");
        Err(HostError::protocol(ErrorKind::RunUnknown, text).with_hint("runs/list names them"))
    }

    async fn owner_of(&self, run_id: &str) -> Result<crate::control::RunClient, HostError> {
        let record = self.known(run_id)?;
        self.host().run_client(&record.run_id).await
    }
}
