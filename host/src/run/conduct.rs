//! The whole life of a run, one task for each: it waits for its turn, has its agent started and watched,
//! goes on with another attempt where it may, and ends. Afterwards nothing of it is alive and its journal
//! is complete.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use od_protocol::{Done, DoneStatus, ErrorEvent, ErrorKind, Event, RunStarted};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::Instrument;

use super::attempts::{Attempts, Failure};
use super::handle::{RunHandle, Stop};
use super::launch::{Attempt, Opening, cancelled};
use super::pending::Move;
use super::recover::conclude;
use super::repair::Verdict;
use super::request::RunRequest;
use super::stream::StreamState;
use super::supervise::{self, Watching};
use super::{lock, now_ms};
use crate::discover::Adapter;
use crate::error::HostError;
use crate::host::Host;
use crate::journal::sink::{Held, Sink};
use crate::journal::{RunRecord, RunStatus};
use crate::usage::{self, Used};

/// What becomes of a run that waits.
#[derive(Debug)]
pub(super) enum Turn {
    /// It is its turn.
    Launch,
    /// Its turn never comes.
    Abandon(Verdict),
}

/// One run and everything that must be ended with it.
pub(super) struct Conductor {
    pub(super) host: Host,
    pub(super) run: RunHandle,
    pub(super) request: RunRequest,
    /// The agent that was asked for.
    pub(super) first_agent: String,
    pub(super) adapter: Adapter,
    pub(super) sink: Arc<Mutex<Sink>>,
    pub(super) stop: UnboundedReceiver<Stop>,
    /// What each attempt used, once it is in the usage ledger.
    pub(super) entered: watch::Sender<Option<Vec<Used>>>,
    pub(super) ended: watch::Sender<Option<Done>>,
    /// The way to whoever keeps count of the runs of each agent, where somebody may.
    pub(super) moves: Option<UnboundedSender<Move>>,
    pub(super) control: Option<JoinSet<()>>,
    /// How long the run has waited for its turn.
    pub(super) waited: Duration,
    /// When the limit of the whole run is over; it begins with the first agent.
    pub(super) deadline: Option<Instant>,
    /// What was tried, and what may still be.
    pub(super) attempts: Attempts,
    /// With what the next attempt begins, when it is not the first.
    pub(super) opening: Option<Opening>,
    /// What the journal says, as far as it was read.
    pub(super) state: StreamState,
}

/// Lets a run go on by itself. However that ends, also by a panic, nothing of this process takes it for a living one
/// afterwards; a journal that has no end then gets one when it is next looked at.
pub(super) fn spawn(host: &Host, run: &RunHandle, life: impl Future<Output = ()> + Send + 'static) {
    let forgotten = Forgotten { host: host.clone(), run: run.clone() };
    let whole = async move {
        life.await;
        drop(forgotten);
    };
    tokio::spawn(whole.instrument(run.span()));
}

/// Forgets a run when it is dropped.
struct Forgotten {
    host: Host,
    run: RunHandle,
}

impl Drop for Forgotten {
    fn drop(&mut self) {
        self.host.forget(&self.run);
    }
}

/// What follows an attempt: the end, or another one, or why that could not begin.
pub(super) type Next = ControlFlow<Done, Result<Attempt, HostError>>;

impl Conductor {
    /// Waits for the run's turn, and then for its end.
    pub(super) async fn wait_for(mut self, turn: oneshot::Receiver<Turn>) {
        let turn = tokio::select! {
            biased;
            Some(_) = self.stop.recv() => Turn::Abandon(Verdict::Cancelled),
            turn = turn => turn.unwrap_or(Turn::Abandon(Verdict::Cancelled)),
        };
        match turn {
            Turn::Launch => {
                let first = self.enter().await;
                self.conduct(first).await;
            }
            Turn::Abandon(verdict) => {
                let done = self.finish(&verdict, Vec::new());
                self.end(done).await;
            }
        }
    }

    /// Watches the run to its end.
    pub(super) async fn conduct(mut self, first: Result<Attempt, HostError>) {
        self.host.telemetry().run_started(&self.run.record(), self.waited);
        let mut next = first;
        let done = loop {
            let (verdict, refused) = match next {
                Ok(attempt) => (self.follow(attempt).await, false),
                Err(error) => (self.refusal(error), true),
            };
            let followed = match self.failure(&verdict, refused).await {
                Some(failure) => self.go_on(failure, &verdict).await,
                None => Next::Break(self.finish(&verdict, Vec::new())),
            };
            match followed {
                Next::Continue(attempt) => next = attempt,
                Next::Break(done) => break done,
            }
        };
        self.end(done).await;
    }

    /// Whether a start that was refused is only the first of several attempts.
    pub(super) fn may_go_on(&self, error: &HostError) -> bool {
        let error = error.clone().into_error_object();
        let error = ErrorEvent::fatal(error.kind(), error.message);
        let failure = Failure { error, resets_at: None, refused: true };
        self.attempts.can_mend(&failure)
    }

    /// Takes the run back as if it had never been there.
    pub(super) fn retract(self) {
        self.host.forget(&self.run);
        drop(self.control);
        self.run.folder().discard();
    }

    pub(super) fn tell(&self, event: Event) {
        lock(&self.sink).tell(event);
    }

    pub(super) fn update_record(&self, change: impl FnOnce(&mut RunRecord)) {
        let mut record = lock(&self.run.shared.record);
        change(&mut record);
        if let Err(error) = self.run.folder().write_record(&record) {
            tracing::warn!(run = record.run_id, %error, "the record of a run is behind its journal");
        }
    }

    /// The run's turn has come: its agent may have changed meanwhile.
    async fn enter(&mut self) -> Result<Attempt, HostError> {
        let now = now_ms();
        self.waited = Duration::from_millis(now.saturating_sub(self.run.record().started_at));
        self.update_record(|record| {
            record.status = RunStatus::Running;
            record.started_at = now;
            record.attempts = 1;
        });
        self.adapter = tokio::select! {
            biased;
            Some(_) = self.stop.recv() => return Err(cancelled()),
            adapter = self.host.adapter(&self.request.agent) => adapter?,
        };
        self.launch().await
    }

    /// Watches one attempt, and ends what is left of it. Says what to tell if its stream has no end.
    async fn follow(&mut self, attempt: Attempt) -> Verdict {
        let Attempt { mut plugin, refused, stop } = attempt;
        let watched = match refused {
            Some(error) => supervise::refused(error),
            None => {
                let watching = Watching {
                    run_id: self.run.id(),
                    progress: self.run.shared.progress.clone(),
                    silence: self.host.options().silence,
                    ping_limit: self.host.options().ping_limit,
                    deadline: self.deadline,
                };
                supervise::watch(&mut plugin, watching, &mut self.stop, stop).await
            }
        };
        // Whoever has seen `done` asks what was used, also while the adapter is on its way out.
        let record = self.run.record();
        let winding_up = supervise::wind_up(plugin, watched);
        let (verdict, ()) = tokio::join!(winding_up, self.enter_usage(&record));
        self.run.set_caller(None);
        verdict
    }

    /// An attempt that did not even begin has a beginning in the journal all the same.
    fn refusal(&self, error: HostError) -> Verdict {
        let mut sink = lock(&self.sink);
        if self.attempts.may_follow() && sink.is_unheard() {
            sink.tell(Event::RunStarted(RunStarted::default()));
        }
        match error.into_error_object() {
            error if error.kind() == ErrorKind::RequestCancelled => Verdict::Cancelled,
            error => Verdict::failed(error),
        }
    }

    /// How the attempt failed; `None` when the run is over, well or badly.
    async fn failure(&mut self, verdict: &Verdict, refused: bool) -> Option<Failure> {
        if !self.attempts.may_follow() || *verdict == Verdict::Cancelled {
            return None;
        }
        self.catch_up().await;
        let sink = lock(&self.sink);
        if sink.done().is_some() || sink.is_broken() || self.state.fatal.is_some() {
            return None;
        }
        let held = sink.held();
        let fatal = held.and_then(|held| held.fatal()).cloned();
        let error = match (fatal, held.and_then(|held| held.done()), verdict) {
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
            (None, None, Verdict::Failed(error) | Verdict::TimedOut(error)) => (**error).clone(),
            (None, None, Verdict::Cancelled) => return None,
        };
        let resets_at = self.seen(held).resets_at;
        Some(Failure { error, resets_at, refused })
    }

    /// What the journal says, and what is held back.
    pub(super) fn seen(&self, held: Option<&Held>) -> StreamState {
        let mut seen = self.state.clone();
        if let Some(held) = held
            && let Err(error) = seen.read(held.lines())
        {
            tracing::debug!(%error, "what was held back cannot be read");
        }
        seen
    }

    /// Reads what the journal says by now, beside everything else: it may be long.
    async fn catch_up(&mut self) {
        let (mut state, path) = (std::mem::take(&mut self.state), self.run.folder().events());
        let reading = tokio::task::spawn_blocking(move || {
            let outcome = state.read_on(&path);
            (state, outcome)
        });
        match reading.await {
            Ok((state, Ok(()))) => self.state = state,
            Ok((state, Err(error))) => {
                tracing::warn!(%error, "what a run has said is not known");
                self.state = state;
            }
            Err(error) => tracing::warn!(%error, "what a run has said is not known"),
        }
    }

    /// Enters a run that is over into the usage ledger, once.
    async fn enter_usage(&self, record: &RunRecord) {
        if !record.status.is_alive() && self.entered.borrow().is_none() {
            let used = usage::enter(self.run.folder(), record).await;
            self.entered.send_replace(Some(used));
        }
    }

    /// Writes the end into the usage ledger and the record, and tells those who wait for it.
    async fn end(self, done: Done) {
        let mut record = self.run.record();
        if record.status.is_alive() {
            conclude(&mut record, &done, now_ms()); // Its journal could not be written to the end.
        }
        record.lacks_end = !lock(&self.sink).is_on_disk();
        self.enter_usage(&record).await;
        record.session_id = record.session_id.take().or_else(|| self.run.last_session());
        self.update_record(|known| *known = record);
        drop(self.control);
        self.host.release(&self.run, &done, self.entered.borrow().as_deref().unwrap_or_default());
        self.ended.send_replace(Some(done));
    }
}
