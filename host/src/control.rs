//! How another process feeds, answers or cancels a run it does not own.

use std::time::Duration;

use od_protocol::{InputOutcome, RespondRunParams};

use crate::error::HostError;

/// A line to the process that owns a run.
#[derive(Debug)]
pub struct RunClient {}

impl RunClient {
    /// Asks the owner to stop the run. `false` means that it was over already.
    ///
    /// # Errors
    /// When the owner cannot be reached or refuses.
    pub async fn cancel(&mut self, _grace: Duration) -> Result<bool, HostError> {
        todo!()
    }

    /// Says something to the live run.
    ///
    /// # Errors
    /// When the owner cannot be reached, or what the adapter answered.
    pub async fn input(&mut self, _text: String) -> Result<InputOutcome, HostError> {
        todo!()
    }

    /// Answers an approval; `run_id` is filled in.
    ///
    /// # Errors
    /// When the owner cannot be reached, or what the adapter answered.
    pub async fn respond(&mut self, _answer: RespondRunParams) -> Result<(), HostError> {
        todo!()
    }
}
