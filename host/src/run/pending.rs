//! A run that is there before its agent: it has an id, a journal and a record, and waits for its turn.

use std::sync::{Arc, Mutex};

use od_protocol::Event;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::sync::oneshot;

use super::conduct::{self, Turn};
use super::repair::Verdict;
use super::request::RunRequest;
use super::{RunHandle, lock, start};
use crate::error::HostError;
use crate::host::Host;
use crate::journal::RunStatus;
use crate::journal::sink::Sink;

/// A run that waits. It can be watched and cancelled like any other; dropping this cancels it.
#[derive(Debug)]
pub struct PendingRun {
    run: RunHandle,
    sink: Arc<Mutex<Sink>>,
    turn: oneshot::Sender<Turn>,
    moves: UnboundedReceiver<Move>,
}

/// A run that has begun, for whoever keeps count of the runs of each agent.
#[derive(Debug)]
pub(crate) struct CountedRun {
    run: RunHandle,
    sink: Arc<Mutex<Sink>>,
    moves: UnboundedReceiver<Move>,
}

/// A run that has left its agent and wants a place with the next one.
#[derive(Debug)]
pub(crate) struct Move {
    /// Where it goes.
    pub(crate) agent: String,
    turn: oneshot::Sender<Turn>,
}

impl PendingRun {
    /// Checks a request and gives it a run that waits. From here on everything is told by the run's
    /// events, and `done` always comes.
    ///
    /// # Errors
    /// When the request cannot work or the agent is not there; nothing is left of it then.
    pub async fn create(host: &Host, request: RunRequest) -> Result<Self, HostError> {
        let mut conductor = start::prepare(host, request, RunStatus::Queued).await?;
        let (turn, coming) = oneshot::channel();
        let (wishes, moves) = mpsc::unbounded_channel();
        conductor.moves = Some(wishes);
        let (run, sink) = (conductor.run.clone(), Arc::clone(&conductor.sink));
        let pending = Self { run, sink, turn, moves };
        conduct::spawn(host, &pending.run, conductor.wait_for(coming));
        Ok(pending)
    }

    /// The client's end of the run.
    pub fn handle(&self) -> &RunHandle {
        &self.run
    }

    /// Writes an event of the host's own into the journal.
    pub fn tell(&self, event: Event) {
        lock(&self.sink).tell(event);
    }

    /// It is its turn: the agent is started. One that cannot be started, or a run that was cancelled
    /// meanwhile, ends in its journal.
    pub fn launch(self) -> RunHandle {
        self.take(Turn::Launch).run
    }

    /// The same for whoever keeps count: the run asks before it goes to another agent.
    pub(crate) fn launch_counted(self) -> CountedRun {
        self.take(Turn::Launch)
    }

    /// Its turn never comes.
    pub fn abandon(self, verdict: Verdict) -> RunHandle {
        self.take(Turn::Abandon(verdict)).run
    }

    fn take(self, turn: Turn) -> CountedRun {
        let Self { run, sink, turn: waiting, moves } = self;
        if waiting.send(turn).is_err() {
            tracing::debug!(run = run.id(), "the run was cancelled while it waited");
        }
        CountedRun { run, sink, moves }
    }
}

impl CountedRun {
    /// Writes an event of the host's own into the journal.
    pub(crate) fn tell(&self, event: Event) {
        lock(&self.sink).tell(event);
    }

    /// Waits until the run wants to go to another agent; `None` when it is over.
    pub(crate) async fn next_move(&mut self) -> Option<Move> {
        tokio::select! {
            Some(wish) = self.moves.recv() => Some(wish),
            _ = self.run.wait() => None,
        }
    }
}

impl Move {
    /// A wish, and where its answer comes.
    pub(super) fn to(agent: &str) -> (Self, oneshot::Receiver<Turn>) {
        let (turn, coming) = oneshot::channel();
        (Self { agent: agent.to_owned(), turn }, coming)
    }

    /// Returns when the run does not wait any more.
    pub(crate) async fn given_up(&mut self) {
        self.turn.closed().await;
    }

    /// It has its place.
    pub(crate) fn admit(self) {
        self.answer(Turn::Launch);
    }

    /// It gets none.
    pub(crate) fn abandon(self, verdict: Verdict) {
        self.answer(Turn::Abandon(verdict));
    }

    fn answer(self, turn: Turn) {
        if self.turn.send(turn).is_err() {
            tracing::debug!(agent = self.agent, "the run was stopped while it waited");
        }
    }
}
