//! The client's end of a run of this process.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use od_protocol::api::RUN_WAITING;
use od_protocol::{Done, ErrorKind, ErrorObject, InputOutcome, InputRunParams, RespondRunParams};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;

use super::{lock, recover};
use crate::error::HostError;
use crate::journal::folder::RunFolder;
use crate::journal::sink::Progress;
use crate::journal::{EventReader, RunRecord, RunStatus, Source};
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
        let caller = self.caller()?;
        let params = InputRunParams { run_id: self.shared.run_id.clone(), text, expected_turn };
        caller.call(params).await.map(|result| result.outcome)
    }

    /// Answers an approval; `run_id` is filled in.
    ///
    /// # Errors
    /// What the adapter answered; `_od.run_waiting` while no agent has the run.
    pub async fn respond(&self, mut answer: RespondRunParams) -> Result<(), ErrorObject> {
        let caller = self.caller()?;
        answer.run_id.clone_from(&self.shared.run_id);
        caller.call(answer).await.map(|_| ())
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
        loop {
            if let Some(done) = ended.borrow_and_update().as_ref() {
                return done.clone();
            }
            // The supervisor always says how it ended before it goes; only a runtime that is being
            // shut down can take it away, and then nobody waits any more.
            if ended.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
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

    fn caller(&self) -> Result<Caller, ErrorObject> {
        let run_id = &self.shared.run_id;
        if self.is_over() {
            let text = format!("the run {run_id} is over");
            return Err(ErrorObject::new(ErrorKind::RunUnknown, text)
                .with_hint("start another run that resumes its session"));
        }
        lock(&self.shared.caller).clone().ok_or_else(|| {
            let text = format!("the run {run_id} waits, no agent has it yet");
            HostError::protocol(ErrorKind::from_wire(RUN_WAITING), text)
                .with_hint("say it again when its events show that it goes on")
                .into_error_object()
        })
    }
}
