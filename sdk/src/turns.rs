//! The turns of a run, for agent CLIs without turn ids.

use od_protocol::{Event, StopReason, TurnEnded, TurnStarted};

use crate::RunOutput;

/// The current turn, and the number of started turns.
#[derive(Debug, Default)]
pub struct Turns {
    open: Option<String>,
    count: u32,
}

impl Turns {
    /// Starts a turn unless one is running.
    pub fn ensure(&mut self, output: &mut RunOutput) {
        if self.open.is_none() {
            self.count += 1;
            let turn_id = format!("turn-{}", self.count);
            self.open = Some(turn_id.clone());
            output.event(Event::TurnStarted(TurnStarted { turn_id }));
        }
    }

    /// Ends the current turn, if any.
    pub fn end(&mut self, stop_reason: StopReason, output: &mut RunOutput) {
        if let Some(turn_id) = self.open.take() {
            output.event(Event::TurnEnded(TurnEnded { turn_id, stop_reason }));
        }
    }

    /// The current turn.
    pub fn current(&self) -> Option<&str> {
        self.open.as_deref()
    }

    /// The number of started turns.
    pub fn count(&self) -> u32 {
        self.count
    }
}
