//! The handle of a run of this process.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use od_protocol::adapter::{InputRunParams, RespondRunParams};
use od_protocol::api::RUN_WAITING;
use od_protocol::{
    Call, Done, DoneEvidence, DoneStatus, ErrorKind, ErrorObject, InputOutcome, StopReason, Totals,
};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::error::HostError;
use crate::journal::folder::RunFolder;
use crate::journal::writer::{Phase, Progress};
use crate::journal::{EventReader, RunRecord, RunStatus, Source};
use crate::plugin::FINAL_OUTPUT_GRACE;
use crate::plugin::caller::Caller;
use crate::sync::lock;
use crate::telemetry::JournalSize;
use crate::usage::AttemptUsage;

/// A request to stop the run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stop {
    pub(super) grace: Duration,
}

/// A run of this process. Clones share it; dropping all of them does not stop the run.
///
/// ```no_run
/// # async fn example(run: od_host::RunHandle) -> Result<(), od_host::HostError> {
/// let mut reader = run.events(0)?;
/// while let Some(event) = reader.next().await? {
///     println!("{} {}", event.seq, event.type_name);
/// }
/// let done = run.wait().await;
/// println!("{}", done.status);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct RunHandle {
    pub(super) shared: Arc<Shared>,
}

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) run_id: String,
    pub(super) folder: RunFolder,
    pub(super) record: Mutex<RunRecord>,
    /// The connection to the adapter; `None` before it starts and between two attempts.
    pub(super) caller: Mutex<Option<Caller>>,
    pub(super) progress: watch::Receiver<Progress>,
    pub(super) stop: UnboundedSender<Stop>,
    /// The usage of each attempt, once it is in the usage ledger.
    pub(super) usage: watch::Receiver<Option<Vec<AttemptUsage>>>,
    pub(super) end: watch::Receiver<Option<Done>>,
}

impl RunHandle {
    /// The run's id.
    pub fn id(&self) -> &str {
        &self.shared.run_id
    }

    /// The content of `run.json`. After `done`, the content it will have when the adapter has exited.
    pub fn record(&self) -> RunRecord {
        let mut record = lock(&self.shared.record).clone();
        if record.status.is_alive()
            && let Some(end) = &self.shared.progress.borrow().end
        {
            record.set_end(&end.done, end.at);
            record.session_id = record.session_id.take().or_else(|| self.last_session());
        }
        record
    }

    /// The current status; a final one as soon as `done` can be read.
    pub fn status(&self) -> RunStatus {
        let end = self.shared.progress.borrow().end.as_ref().map(|end| end.done.status.into());
        end.unwrap_or_else(|| lock(&self.shared.record).status)
    }

    /// Reads the events, starting at this number.
    ///
    /// # Errors
    /// When the journal cannot be opened.
    pub fn events(&self, from: u64) -> Result<EventReader, HostError> {
        let source = Source::ThisProcess(self.shared.progress.clone());
        EventReader::open(self.shared.folder.clone(), from, source)
    }

    /// Sends input to the run; refused when `expected_turn` is given and has ended.
    ///
    /// # Errors
    /// The error of the adapter; `_od.run_waiting` while no agent works on the run.
    pub async fn input(
        &self,
        text: String,
        expected_turn: Option<String>,
    ) -> Result<InputOutcome, ErrorObject> {
        let params = InputRunParams { run_id: self.shared.run_id.clone(), text, expected_turn };
        self.ask(params).await.map(|result| result.outcome)
    }

    /// Answers an approval request; `run_id` is filled in.
    ///
    /// # Errors
    /// The error of the adapter; `_od.run_waiting` while no agent works on the run.
    pub async fn respond(&self, mut answer: RespondRunParams) -> Result<(), ErrorObject> {
        answer.run_id.clone_from(&self.shared.run_id);
        self.ask(answer).await.map(|_| ())
    }

    /// Cancels the run and every process it started; zero grace means at once. Does not wait: `done` follows in the
    /// events. Returns `false` when the run had already ended.
    pub fn cancel(&self, grace: Duration) -> bool {
        !self.has_ended() && self.shared.stop.send(Stop { grace }).is_ok()
    }

    /// Waits until the run has ended, its journal is on disk and its adapter has exited.
    pub async fn wait(&self) -> Done {
        let mut ended = self.shared.end.clone();
        let end = ended.wait_for(Option::is_some).await.ok().and_then(|done| done.clone());
        end.unwrap_or_else(|| self.lost_end())
    }

    /// The end of a run whose task has gone: it was refused before it started, or its task panicked.
    fn lost_end(&self) -> Done {
        let end = self.shared.progress.borrow().end.as_ref().map(|end| end.done.clone());
        end.unwrap_or_else(|| Done {
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

    /// The log span of the run. It has no parent: the call that started the run may end before it.
    pub(super) fn span(&self) -> tracing::Span {
        tracing::info_span!(parent: None, "run", id = self.id())
    }

    pub(crate) fn journal_size(&self) -> JournalSize {
        let progress = self.shared.progress.borrow();
        JournalSize { events: progress.events, bytes: progress.length }
    }

    pub(crate) fn folder(&self) -> &RunFolder {
        &self.shared.folder
    }

    /// `done` can be read. The journal may not be synced yet and the adapter may still be running.
    pub(crate) fn has_done_event(&self) -> bool {
        self.shared.progress.borrow().end.is_some()
    }

    /// The native session of the last attempt, from the usage ledger: not every agent names it in `done`.
    pub(super) fn last_session(&self) -> Option<String> {
        let usage = self.shared.usage.borrow();
        usage.as_ref()?.last()?.session_id.clone()
    }

    /// Waits until a run after `done` is in the usage ledger.
    pub(crate) async fn wait_for_usage(&self) {
        // A closed channel means that the task has gone and records nothing any more.
        drop(self.shared.usage.clone().wait_for(Option::is_some).await);
    }

    fn has_ended(&self) -> bool {
        self.has_done_event() || self.shared.end.borrow().is_some()
    }

    /// Sets the adapter that works on the run; `None` while it waits.
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

    /// An adapter that exits because its run ended has not crashed. Its last events may still be in the pipe.
    async fn explain(&self, error: ErrorObject) -> ErrorObject {
        let mut progress = self.shared.progress.clone();
        let attempt_ended = progress.wait_for(|progress| progress.phase != Phase::Open);
        if !matches!(timeout(FINAL_OUTPUT_GRACE, attempt_ended).await, Ok(Ok(_))) {
            return error;
        }
        let progress = self.shared.progress.borrow();
        match &progress.end {
            Some(end) if end.done.error_kind != Some(ErrorKind::PluginCrashed) => {
                self.ended_error()
            }
            None if progress.phase == Phase::Buffered => self.waiting_error(),
            _ => error,
        }
    }

    fn caller(&self) -> Result<Caller, ErrorObject> {
        if self.has_ended() {
            return Err(self.ended_error());
        }
        lock(&self.shared.caller).clone().ok_or_else(|| self.waiting_error())
    }

    fn ended_error(&self) -> ErrorObject {
        let text = format!("run {} has ended", self.shared.run_id);
        ErrorObject::new(ErrorKind::RunUnknown, text)
            .with_hint("start a new run that resumes its session")
    }

    fn waiting_error(&self) -> ErrorObject {
        let text = format!("run {} is waiting: no agent works on it now", self.shared.run_id);
        HostError::protocol(ErrorKind::from_wire(RUN_WAITING), text)
            .with_hint("try again after its next `run_started` event")
            .into_error_object()
    }
}
