//! One run, from prompt to `done`.

use std::time::Duration;

use od_protocol::{Done, ErrorObject, InputOutcome, RespondRunParams, StartRunParams};

use crate::error::HostError;
use crate::journal::{EventReader, RunRecord};

/// Whether somebody answers `approval_requested`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Answers {
    /// Nobody: the adapter never asks and denies.
    #[default]
    Nobody,
    /// The holder of the [`RunHandle`], or another process by way of `control`.
    Client,
}

/// What to run.
#[derive(Debug, Clone, Default)]
pub struct RunRequest {
    /// The agent's id.
    pub agent: String,
    /// What `run/start` takes. An empty `run_id` gets a fresh one.
    pub params: StartRunParams,
    /// Whether somebody answers approvals.
    pub answers: Answers,
}

/// A run of this process. Clones share it; dropping all of them does not stop it.
#[derive(Debug, Clone)]
pub struct RunHandle {}

impl RunHandle {
    /// The run's id.
    pub fn id(&self) -> &str {
        todo!()
    }

    /// What `run.json` says.
    pub fn record(&self) -> RunRecord {
        todo!()
    }

    /// Reads the events from a number on.
    ///
    /// # Errors
    /// When the journal cannot be opened.
    pub fn events(&self, _from: u64) -> Result<EventReader, HostError> {
        todo!()
    }

    /// Says something to the live run; `expected_turn` refuses it when that turn is over.
    ///
    /// # Errors
    /// What the adapter answered.
    pub async fn input(
        &self,
        _text: String,
        _expected_turn: Option<String>,
    ) -> Result<InputOutcome, ErrorObject> {
        todo!()
    }

    /// Answers an approval; `run_id` is filled in.
    ///
    /// # Errors
    /// What the adapter answered.
    pub async fn respond(&self, _answer: RespondRunParams) -> Result<(), ErrorObject> {
        todo!()
    }

    /// Asks the run to stop with everything it started; zero grace means at once. Returns when the
    /// request is on its way: the events tell the rest, and `done` always comes.
    /// `false` means that the run was over already.
    pub fn cancel(&self, _grace: Duration) -> bool {
        todo!()
    }

    /// Waits until the run is over, its journal is safe on disk and its adapter is gone.
    pub async fn wait(&self) -> Done {
        todo!()
    }
}
