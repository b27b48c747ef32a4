//! The client's end of a run of this process.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use od_protocol::api::RUN_WAITING;
use od_protocol::{
    Call, Done, DoneEvidence, DoneStatus, ErrorKind, ErrorObject, InputOutcome, InputRunParams,
    RespondRunParams, StopReason, Totals,
};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;
use tokio::time::timeout;

use super::{lock, recover};
use crate::error::HostError;
use crate::journal::folder::RunFolder;
use crate::journal::sink::{Phase, Progress};
use crate::journal::{EventReader, RunRecord, RunStatus, Source};
use crate::plugin::LAST_WORDS;
use crate::plugin::caller::Caller;
use crate::telemetry::JournalSize;
use crate::usage::Used;

/// A wish to stop.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stop {
    pub(super) grace: Duration,
}

/// A run of this process. Clones share it; dropping all of them does not stop it.
#[derive(Debug, Clone)]
pub struct RunHandle {
    pub(super) shared: Arc<Shared>,
}

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) run_id: String,
    pub(super) folder: RunFolder,
    pub(super) record: Mutex<RunRecord>,
    /// The way to the adapter; nobody is there before it starts and between two attempts.
    pub(super) caller: Mutex<Option<Caller>>,
    pub(super) progress: watch::Receiver<Progress>,
    pub(super) stop: UnboundedSender<Stop>,
    /// What each attempt used, once it is in the usage ledger.
    pub(super) entered: watch::Receiver<Option<Vec<Used>>>,
    pub(super) ended: watch::Receiver<Option<Done>>,
}

impl RunHandle {
    /// The run's id.
    pub fn id(&self) -> &str {
        &self.shared.run_id
    }

    /// What `run.json` says. Of a run whose `done` can be read: what it will say when the adapter is gone too.
    pub fn record(&self) -> RunRecord {
        let mut record = lock(&self.shared.record).clone();
        if record.status.is_alive()
            && let Some(end) = &self.shared.progress.borrow().end
        {
            recover::conclude(&mut record, &end.done, end.at);
            record.session_id = record.session_id.take().or_else(|| self.last_session());
        }
        record
    }

    /// How it stands; whoever has seen its `done` is told that it is over.
    pub fn status(&self) -> RunStatus {
        let said = self.shared.progress.borrow().end.as_ref().map(|end| end.done.status.into());
        said.unwrap_or_else(|| lock(&self.shared.record).status)
    }

    /// Reads the events from a number on.
    ///
    /// # Errors
    /// When the journal cannot be opened.
    pub fn events(&self, from: u64) -> Result<EventReader, HostError> {
        let source = Source::Here(self.shared.progress.clone());
        EventReader::open(self.shared.folder.clone(), from, source)
    }

    /// Says something to the live run; `expected_turn` refuses it when that turn is over.
    ///
    /// # Errors
    /// What the adapter answered; `_od.run_waiting` while no agent has the run.
    pub async fn input(
        &self,
        text: String,
        expected_turn: Option<String>,
    ) -> Result<InputOutcome, ErrorObject> {
        let params = InputRunParams { run_id: self.shared.run_id.clone(), text, expected_turn };
        self.ask(params).await.map(|result| result.outcome)
    }

    /// Answers an approval; `run_id` is filled in.
    ///
    /// # Errors
    /// What the adapter answered; `_od.run_waiting` while no agent has the run.
    pub async fn respond(&self, mut answer: RespondRunParams) -> Result<(), ErrorObject> {
        answer.run_id.clone_from(&self.shared.run_id);
        self.ask(answer).await.map(|_| ())
    }

    /// Asks the run to stop with everything it started; zero grace means at once. Returns when the
    /// request is on its way: the events tell the rest, and `done` always comes.
    /// `false` means that the run was over already, its `done` said.
    pub fn cancel(&self, grace: Duration) -> bool {
        !self.is_over() && self.shared.stop.send(Stop { grace }).is_ok()
    }

    /// Waits until the run is over, its journal is safe on disk and its adapter is gone.
    pub async fn wait(&self) -> Done {
        let mut ended = self.shared.ended.clone();
        let end = ended.wait_for(Option::is_some).await.ok().and_then(|done| done.clone());
        end.unwrap_or_else(|| self.lost_end())
    }

    /// The end of a run that is gone without a word: it was taken back before it began, or its task has panicked.
    fn lost_end(&self) -> Done {
        let said = self.shared.progress.borrow().end.as_ref().map(|end| end.done.clone());
        said.unwrap_or_else(|| Done {
            status: DoneStatus::Failed,
            stop_reason: StopReason::Error,
            error_kind: Some(ErrorKind::Internal),
            evidence: DoneEvidence::Watchdog,
            session_id: None,
            exit_code: None,
            signal: None,
            duration_ms: 0,
            totals: Totals::default(),
        })
    }

    /// What is logged of the run belongs to it, whoever has started it.
    pub(super) fn span(&self) -> tracing::Span {
        tracing::info_span!(parent: None, "run", id = self.id())
    }

    /// How long the journal is so far.
    pub(crate) fn journal_size(&self) -> JournalSize {
        let progress = self.shared.progress.borrow();
        JournalSize { events: progress.events, bytes: progress.length }
    }

    pub(crate) fn folder(&self) -> &RunFolder {
        &self.shared.folder
    }

    /// Its `done` can be read; its journal may still be on its way to the disk and its adapter on its way out.
    pub(crate) fn has_said_done(&self) -> bool {
        self.shared.progress.borrow().end.is_some()
    }

    /// The native session of the last attempt, once it was looked for: not every agent tells it in `done`.
    pub(super) fn last_session(&self) -> Option<String> {
        let entered = self.shared.entered.borrow();
        entered.as_ref()?.last()?.session_id.clone()
    }

    /// Waits until a run that has said `done` is in the usage ledger.
    pub(crate) async fn entered(&self) {
        // One who is gone without a word enters nothing any more.
        drop(self.shared.entered.clone().wait_for(Option::is_some).await);
    }

    fn is_over(&self) -> bool {
        self.has_said_done() || self.shared.ended.borrow().is_some()
    }

    /// Says who has the run now; `None` while it waits.
    pub(super) fn set_caller(&self, caller: Option<Caller>) {
        *lock(&self.shared.caller) = caller;
    }

    async fn ask<P: Call>(&self, params: P) -> Result<P::Result, ErrorObject> {
        match self.caller()?.call(params).await {
            Err(error) if error.kind() == ErrorKind::PluginCrashed => {
                Err(self.explain(error).await)
            }
            answer => answer,
        }
    }

    /// An adapter that leaves because its run is over has not crashed. Its last events may still be on their way.
    async fn explain(&self, error: ErrorObject) -> ErrorObject {
        let mut progress = self.shared.progress.clone();
        let attempt_over = progress.wait_for(|progress| progress.phase != Phase::Open);
        if !matches!(timeout(LAST_WORDS, attempt_over).await, Ok(Ok(_))) {
            return error;
        }
        let progress = self.shared.progress.borrow();
        match &progress.end {
            Some(end) if end.done.error_kind != Some(ErrorKind::PluginCrashed) => self.over(),
            None if progress.phase == Phase::Held => self.waits(),
            _ => error,
        }
    }

    fn caller(&self) -> Result<Caller, ErrorObject> {
        if self.is_over() {
            return Err(self.over());
        }
        lock(&self.shared.caller).clone().ok_or_else(|| self.waits())
    }

    fn over(&self) -> ErrorObject {
        let text = format!("the run {} is over", self.shared.run_id);
        ErrorObject::new(ErrorKind::RunUnknown, text)
            .with_hint("start another run that resumes its session")
    }

    fn waits(&self) -> ErrorObject {
        let text = format!("the run {} waits, no agent has it yet", self.shared.run_id);
        HostError::protocol(ErrorKind::from_wire(RUN_WAITING), text)
            .with_hint("say it again when its events show that it goes on")
            .into_error_object()
    }
}
