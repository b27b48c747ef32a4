//! The turns of a run, for agent CLIs that do not name theirs.

use od_protocol::{Event, StopReason, TurnEnded, TurnStarted};

use crate::RunOutput;

/// Which turn runs, and how many have begun.
#[derive(Debug, Default)]
pub struct Turns {
    open: Option<String>,
    count: u32,
}

impl Turns {
    /// A turn runs from the first sign of the agent CLI's work: begins one unless one runs.
    pub fn ensure(&mut self, output: &mut RunOutput) {
        if self.open.is_none() {
            self.count += 1;
            let turn_id = format!("turn-{}", self.count);
            self.open = Some(turn_id.clone());
            output.event(Event::TurnStarted(TurnStarted { turn_id }));
        }
    }

    /// The turn that runs, if any, is over.
    pub fn end(&mut self, stop_reason: StopReason, output: &mut RunOutput) {
        if let Some(turn_id) = self.open.take() {
            output.event(Event::TurnEnded(TurnEnded { turn_id, stop_reason }));
        }
    }

    /// The turn that runs.
    pub fn current(&self) -> Option<&str> {
        self.open.as_deref()
    }

    /// How many have begun.
    pub fn count(&self) -> u32 {
        self.count
    }
}
