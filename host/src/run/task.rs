//! The task that owns one run: it waits for a slot, starts the adapter, supervises each attempt, starts the next one
//! where the request allows it, and ends the run. When it has finished, every process of the run has exited and the
//! journal is complete.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use od_protocol::{Done, DoneStatus, ErrorEvent, ErrorKind, Event, RunStarted};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::Instrument;

use super::attempt::{Attempt, AttemptStart, cancelled_before_start};
use super::attempts::{Attempts, Failure};
use super::handle::{RunHandle, Stop};
use super::outcome::RunOutcome;
use super::registry::RunRegistry;
use super::request::RunRequest;
use super::stream::StreamState;
use super::supervise::{self, Supervision};
use crate::clock::{now_ms, sleep_until_deadline};
use crate::context::HostContext;
use crate::discover::Adapter;
use crate::error::HostError;
use crate::journal::writer::{BufferedEvents, JournalWriter};
use crate::journal::{RunRecord, RunStatus};
use crate::queue::{Admission, QueueError, QueueSlot};
use crate::sync::lock;
use crate::usage::AttemptUsage;

/// One run and everything that ends with it.
pub(super) struct RunTask {
    pub(super) runs: RunRegistry,
    pub(super) run: RunHandle,
    pub(super) request: RunRequest,
    /// The agent that was requested.
    pub(super) first_agent: String,
    /// The adapter of the current agent.
    pub(super) adapter: Adapter,
    pub(super) journal: Arc<Mutex<JournalWriter>>,
    pub(super) stop: UnboundedReceiver<Stop>,
    /// The usage of each attempt, once it is in the usage ledger.
    pub(super) usage: watch::Sender<Option<Vec<AttemptUsage>>>,
    pub(super) ended: watch::Sender<Option<Done>>,
    /// The slot of a queued run; dropping it admits the next run.
    pub(super) slot: Option<QueueSlot>,
    pub(super) queue_limit: Option<Duration>,
    pub(super) control: Option<JoinSet<()>>,
    /// How long the run waited in the queue.
    pub(super) waited: Duration,
    /// When the time limit of the whole run is reached; set when the first attempt starts.
    pub(super) deadline: Option<Instant>,
    pub(super) attempts: Attempts,
    /// How the next attempt starts, when it is not the first.
    pub(super) next_start: Option<AttemptStart>,
    /// The events of the journal, as far as they were read.
    pub(super) state: StreamState,
}

/// What follows an attempt: the end of the run, or the next attempt.
pub(super) type Next = ControlFlow<Done, Result<Attempt, HostError>>;

/// Removes a run from the live runs when its task ends, also after a panic. A journal without an end then gets one
/// when the run is next read.
struct RemoveOnDrop {
    runs: RunRegistry,
    run: RunHandle,
}

impl Drop for RemoveOnDrop {
    fn drop(&mut self) {
        self.runs.remove(&self.run);
    }
}

impl RunTask {
    /// Spawns the rest of the run as one task.
    pub(super) fn spawn<F>(self, rest: impl FnOnce(Self) -> F) -> RunHandle
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let run = self.run.clone();
        let guard = RemoveOnDrop { runs: self.runs.clone(), run: run.clone() };
        let rest = rest(self);
        let whole = async move {
            rest.await;
            drop(guard);
        };
        tokio::spawn(whole.instrument(run.span()));
        run
    }

    /// Waits for a slot, then runs to the end.
    pub(super) async fn run_queued(mut self) {
        let admission = self.wait_for_slot().await.and_then(|admission| {
            let may_start = self.slot.as_ref().is_none_or(QueueSlot::may_start);
            if may_start { Ok(admission) } else { Err(RunOutcome::Cancelled) }
        });
        match admission {
            Ok(admission) => {
                let first = self.start_admitted(admission).await;
                self.supervise(first).await;
            }
            Err(outcome) => {
                let done = self.finish(&outcome, Vec::new());
                self.end(done).await;
            }
        }
    }

    /// Supervises the attempts until the run ends.
    pub(super) async fn supervise(mut self, first: Result<Attempt, HostError>) {
        self.context().telemetry().run_started(&self.run.record(), self.waited);
        let mut next = first;
        let done = loop {
            let (outcome, refused) = match next {
                Ok(attempt) => (self.supervise_attempt(attempt).await, false),
                Err(error) => (self.refusal(error), true),
            };
            let followed = match self.failure(&outcome, refused).await {
                Some(failure) => self.handle_failure(failure, &outcome).await,
                None => Next::Break(self.finish(&outcome, Vec::new())),
            };
            match followed {
                Next::Continue(attempt) => next = attempt,
                Next::Break(done) => break done,
            }
        };
        self.end(done).await;
    }

    /// Whether a refused start may be followed by another attempt.
    pub(super) fn may_recover(&self, error: &HostError) -> bool {
        let error = error.clone().into_error_object();
        let error = ErrorEvent::fatal(error.kind(), error.message);
        self.attempts.may_recover(&Failure { error, resets_at: None, refused: true })
    }

    /// Removes a run that was refused before it started.
    pub(super) fn discard(self) {
        self.runs.remove(&self.run);
        drop(self.control);
        self.run.folder().discard();
    }

    pub(super) fn context(&self) -> &HostContext {
        self.runs.context()
    }

    pub(super) fn emit(&self, event: Event) {
        lock(&self.journal).emit(event);
    }

    pub(super) fn update_record(&self, change: impl FnOnce(&mut RunRecord)) {
        let mut record = lock(&self.run.shared.record);
        change(&mut record);
        if let Err(error) = self.run.folder().write_record(&record) {
            tracing::warn!(run = record.run_id, %error, "cannot write the record of a run");
        }
    }

    /// Waits until the queue admits the run; a run without a queue is admitted at once.
    pub(super) async fn wait_for_slot(&mut self) -> Result<Admission, RunOutcome> {
        let Some(mut slot) = self.slot.take() else { return Ok(Admission::Immediate) };
        let journal = Arc::clone(&self.journal);
        let emit = |event| lock(&journal).emit(event);
        let admission = self.unless_stopped(slot.wait(self.queue_limit, emit)).await;
        self.slot = Some(slot);
        admission?.map_err(|error| match error {
            QueueError::Closed => RunOutcome::Cancelled,
            QueueError::TimedOut(limit) => RunOutcome::queue_timeout(limit),
        })
    }

    /// Waits for a value, unless the run is cancelled or reaches its time limit first.
    pub(super) async fn unless_stopped<T>(
        &mut self,
        value: impl Future<Output = T>,
    ) -> Result<T, RunOutcome> {
        tokio::select! {
            biased;
            Some(_) = self.stop.recv() => Err(RunOutcome::Cancelled),
            () = sleep_until_deadline(self.deadline) => Err(RunOutcome::total_timeout()),
            value = value => Ok(value),
        }
    }

    /// The journal so far, including the buffered events.
    pub(super) fn state_with(&self, buffered: Option<&BufferedEvents>) -> StreamState {
        let mut state = self.state.clone();
        if let Some(buffered) = buffered
            && let Err(error) = state.read(buffered.lines())
        {
            tracing::debug!(%error, "cannot read the buffered events");
        }
        state
    }

    async fn start_admitted(&mut self, admission: Admission) -> Result<Attempt, HostError> {
        let now = now_ms();
        self.waited = Duration::from_millis(now.saturating_sub(self.run.record().started_at));
        self.update_record(|record| {
            record.status = RunStatus::Running;
            record.started_at = now;
            record.attempts = 1;
        });
        if admission == Admission::AfterWait {
            // The executable may have been replaced or removed while the run waited.
            let runs = self.runs.clone();
            self.adapter = tokio::select! {
                biased;
                Some(_) = self.stop.recv() => return Err(cancelled_before_start()),
                adapter = runs.context().adapter(&self.request.agent) => adapter?,
            };
        }
        self.launch().await
    }

    /// Supervises one attempt and ends its processes. The outcome counts only when the stream has no end.
    async fn supervise_attempt(&mut self, attempt: Attempt) -> RunOutcome {
        let Attempt { mut plugin, refused, stop } = attempt;
        let supervised = match refused {
            Some(error) => supervise::refused(error),
            None => {
                let options = self.runs.context().options();
                let supervision = Supervision {
                    run_id: self.run.id(),
                    progress: self.run.shared.progress.clone(),
                    silence: options.silence,
                    ping_limit: options.ping_limit,
                    deadline: self.deadline,
                };
                supervise::supervise(&mut plugin, supervision, &mut self.stop, stop).await
            }
        };
        // A client that has read `done` may ask for the usage while the adapter still exits.
        let record = self.run.record();
        let shutdown = supervise::shut_down(plugin, supervised);
        let (outcome, ()) = tokio::join!(shutdown, self.record_usage(&record));
        self.run.set_caller(None);
        outcome
    }

    /// The outcome of an attempt that did not start. Its `run_started` event is written all the same.
    fn refusal(&self, error: HostError) -> RunOutcome {
        let mut journal = lock(&self.journal);
        if self.attempts.allows_more() && journal.has_no_events() {
            journal.emit(Event::RunStarted(RunStarted::default()));
        }
        match error.into_error_object() {
            error if error.kind() == ErrorKind::RequestCancelled => RunOutcome::Cancelled,
            error => RunOutcome::failed(error),
        }
    }

    /// How the attempt failed; `None` when no other attempt may follow.
    async fn failure(&mut self, outcome: &RunOutcome, refused: bool) -> Option<Failure> {
        if !self.attempts.allows_more() || *outcome == RunOutcome::Cancelled {
            return None;
        }
        self.read_journal().await;
        let journal = lock(&self.journal);
        if journal.done().is_some() || journal.is_broken() || self.state.fatal.is_some() {
            return None;
        }
        let buffered = journal.buffered();
        let fatal = buffered.and_then(|buffered| buffered.fatal()).cloned();
        let done = buffered.and_then(|buffered| buffered.done());
        let error = match (fatal, done, outcome) {
            (_, Some(done), _)
                if matches!(done.status, DoneStatus::Completed | DoneStatus::Cancelled) =>
            {
                return None;
            }
            (Some(error), _, _) => error,
            (None, Some(done), _) => {
                let kind = done.error_kind.clone().unwrap_or(ErrorKind::Internal);
                ErrorEvent::fatal(kind, format!("the agent ended as {}", done.status))
            }
            (None, None, RunOutcome::Failed(error) | RunOutcome::TimedOut(error)) => {
                (**error).clone()
            }
            (None, None, RunOutcome::Cancelled) => return None,
        };
        let resets_at = self.state_with(buffered).resets_at;
        Some(Failure { error, resets_at, refused })
    }

    /// Reads the new events of the journal on a thread that may block: it may be long.
    async fn read_journal(&mut self) {
        let (mut state, path) = (std::mem::take(&mut self.state), self.run.folder().events());
        let reading = tokio::task::spawn_blocking(move || {
            let outcome = state.read_new(&path);
            (state, outcome)
        });
        match reading.await {
            Ok((state, Ok(()))) => self.state = state,
            Ok((state, Err(error))) => {
                tracing::warn!(%error, "cannot read the journal of a run");
                self.state = state;
            }
            Err(error) => tracing::warn!(%error, "cannot read the journal of a run"),
        }
    }
}
