//! The whole life of a run, one task for each: it waits for its turn, has its agent started and watched,
//! and ends. Afterwards nothing of it is alive and its journal is complete.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use od_protocol::{Done, ErrorKind, ErrorObject, HostCapabilities, Marker};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::handle::{RunHandle, Stop};
use super::recover::{begun, conclude};
use super::repair::{Times, Verdict, closing_events};
use super::request::{Answers, RunRequest};
use super::stream::StreamState;
use super::supervise::{self, Watching};
use super::{lock, now_ms};
use crate::discover::Adapter;
use crate::error::HostError;
use crate::host::Host;
use crate::journal::sink::Sink;
use crate::journal::{RunRecord, RunStatus};
use crate::plugin::{Launch, Plugin};
use crate::usage;

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
    pub(super) adapter: Adapter,
    pub(super) sink: Arc<Mutex<Sink>>,
    pub(super) stop: UnboundedReceiver<Stop>,
    pub(super) ended: watch::Sender<Option<Done>>,
    pub(super) control: Option<JoinSet<()>>,
    /// How long the run has waited for its turn.
    pub(super) waited: Duration,
    /// When the limit of the whole run is over; it begins with the first agent.
    pub(super) deadline: Option<Instant>,
}

/// An adapter that has been asked to run.
pub(super) struct Attempt {
    plugin: Plugin,
    /// It refused after it had begun to talk.
    refused: Option<ErrorObject>,
    /// The run was told to stop before the adapter had answered.
    stop: Option<Stop>,
}

impl Conductor {
    /// Waits for the run's turn, and then for its end.
    pub(super) async fn wait_for(mut self, turn: oneshot::Receiver<Turn>) {
        let turn = tokio::select! {
            biased;
            Some(_) = self.stop.recv() => Turn::Abandon(Verdict::Cancelled),
            turn = turn => turn.unwrap_or(Turn::Abandon(Verdict::Cancelled)),
        };
        let launched = match turn {
            Turn::Launch => self.enter().await,
            Turn::Abandon(verdict) => Err(verdict),
        };
        match launched {
            Ok(attempt) => self.conduct(attempt).await,
            Err(verdict) => {
                let done = self.close(&verdict);
                self.end(done).await;
            }
        }
    }

    /// Starts the adapter and hands the run to it.
    ///
    /// # Errors
    /// Why it did not take the run; nothing of the adapter is left then.
    pub(super) async fn launch(&mut self) -> Result<Attempt, HostError> {
        self.set_deadline();
        let approvals = (self.request.answers == Answers::Client).then_some(Marker {});
        let launch = Launch {
            executable: self.adapter.path.clone(),
            environment: self.host.environment(&self.adapter),
            initialize: self.host.initialize(&self.adapter, HostCapabilities { approvals }),
            sink: Some(Arc::clone(&self.sink)),
            meter: self.host.telemetry().metrics().adapter(&self.adapter.id),
        };
        let mut plugin = tokio::select! {
            plugin = Plugin::launch(launch) => plugin?,
            Some(_) = self.stop.recv() => return Err(cancelled()),
        };
        // Before it is asked: who sees its first event may answer at once.
        self.run.set_caller(Some(plugin.caller().clone()));
        let params = std::mem::take(&mut self.request.params);
        let (refused, stop) = tokio::select! {
            answer = plugin.call(params) => (answer.err(), None),
            Some(stop) = self.stop.recv() => (None, Some(stop)),
        };
        let refused = match refused {
            Some(error) => Some(plugin.explain(error).await),
            None => None,
        };
        if let Some(error) = &refused
            && lock(&self.sink).is_unheard()
        {
            self.run.set_caller(None);
            plugin.close().await;
            return Err(error.clone().into());
        }
        Ok(Attempt { plugin, refused, stop })
    }

    /// Watches the run to its end.
    pub(super) async fn conduct(mut self, attempt: Attempt) {
        self.host.telemetry().run_started(&self.run.record(), self.waited);
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
        let verdict = supervise::wind_up(plugin, watched).await;
        self.run.set_caller(None);
        let done = self.close(&verdict);
        self.end(done).await;
    }

    /// Takes the run back as if it had never been there.
    pub(super) fn retract(self) {
        self.host.forget(&self.run);
        drop(self.control);
        self.run.folder().remove();
    }

    /// The run's turn has come: its agent may have changed meanwhile.
    async fn enter(&mut self) -> Result<Attempt, Verdict> {
        let failed = |error: HostError| match error.into_error_object() {
            error if error.kind() == ErrorKind::RequestCancelled => Verdict::Cancelled,
            error => Verdict::failed(error),
        };
        self.adapter = self.host.adapter(&self.request.agent).await.map_err(failed)?;
        let now = now_ms();
        self.waited = Duration::from_millis(now.saturating_sub(self.run.record().started_at));
        self.update_record(|record| {
            record.status = RunStatus::Running;
            record.started_at = now;
            record.attempts = 1;
        });
        self.launch().await.map_err(failed)
    }

    fn set_deadline(&mut self) {
        let total = self.request.params.timeouts.total_ms.filter(|total| *total > 0);
        let total = total.map(Duration::from_millis);
        self.deadline = total.and_then(|total| Instant::now().checked_add(total));
    }

    /// Closes the stream unless it has ended by itself.
    fn close(&self, verdict: &Verdict) -> Done {
        let mut sink = lock(&self.sink);
        if let Some(done) = sink.done().cloned() {
            sink.close(&[], done.clone());
            return done;
        }
        let mut state = StreamState::default();
        let read =
            std::fs::File::open(self.run.folder().events()).and_then(|file| state.read(file));
        if let Err(error) = read.and_then(|()| state.read(sink.unwritten())) {
            tracing::warn!(%error, "what a run has left open is not known");
            state.next_seq = sink.next_seq();
        }
        let (record, now) = (self.run.record(), now_ms());
        let times = Times { started: begun(&record, now), now };
        let (lines, done) = closing_events(&record.run_id, &state, verdict, times);
        sink.close(&lines, done.clone());
        done
    }

    /// Writes the end into the usage ledger and the record, and tells those who wait for it.
    async fn end(self, done: Done) {
        let mut record = self.run.record();
        conclude(&mut record, &done, now_ms());
        record.lacks_end = !lock(&self.sink).is_on_disk();
        usage::enter(self.run.folder(), &record).await;
        self.update_record(|known| *known = record);
        drop(self.control);
        self.host.release(&self.run, &done);
        self.ended.send_replace(Some(done));
    }

    fn update_record(&self, change: impl FnOnce(&mut RunRecord)) {
        let mut record = lock(&self.run.shared.record);
        change(&mut record);
        if let Err(error) = self.run.folder().write_record(&record) {
            tracing::warn!(run = record.run_id, %error, "the record of a run is behind its journal");
        }
    }
}

fn cancelled() -> HostError {
    HostError::protocol(ErrorKind::RequestCancelled, "the run was cancelled before its agent began")
        .with_hint("start it again when you want it")
}
