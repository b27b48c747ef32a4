//! A run that is there before its agent: it has an id, a journal and a record, and waits for its turn.

use std::sync::{Arc, Mutex};

use od_protocol::Event;
use tokio::sync::oneshot;
use tracing::Instrument;

use super::conduct::Turn;
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
}

impl PendingRun {
    /// Checks a request and gives it a run that waits. From here on everything is told by the run's
    /// events, and `done` always comes.
    ///
    /// # Errors
    /// When the request cannot work or the agent is not there; nothing is left of it then.
    pub async fn create(host: &Host, request: RunRequest) -> Result<Self, HostError> {
        let conductor = start::prepare(host, request, RunStatus::Queued).await?;
        let (turn, coming) = oneshot::channel();
        let pending = Self { run: conductor.run.clone(), sink: Arc::clone(&conductor.sink), turn };
        tokio::spawn(conductor.wait_for(coming).instrument(pending.run.span()));
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
        self.take(Turn::Launch)
    }

    /// Its turn never comes.
    pub fn abandon(self, verdict: Verdict) -> RunHandle {
        self.take(Turn::Abandon(verdict))
    }

    fn take(self, turn: Turn) -> RunHandle {
        if self.turn.send(turn).is_err() {
            tracing::debug!(run = self.run.id(), "the run was cancelled while it waited");
        }
        self.run
    }
}
