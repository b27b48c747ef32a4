//! Turns: the current one, and queued input for the next.

use std::collections::VecDeque;

use od_protocol::{Event, StopReason, TurnEnded, TurnStarted};

use crate::RunOutput;

/// The turns of a run. ACP allows one prompt at a time, so further input is queued.
#[derive(Debug, Default)]
pub(super) struct Turns {
    count: u32,
    open: Option<String>,
    queued: VecDeque<String>,
}

impl Turns {
    /// A prompt is sent.
    pub(super) fn begin(&mut self, output: &mut RunOutput) {
        self.count += 1;
        let turn_id = format!("turn-{}", self.count);
        self.open = Some(turn_id.clone());
        output.event(Event::TurnStarted(TurnStarted { turn_id }));
    }

    /// The prompt was answered.
    pub(super) fn end(&mut self, stop_reason: StopReason, output: &mut RunOutput) {
        if let Some(turn_id) = self.open.take() {
            output.event(Event::TurnEnded(TurnEnded { turn_id, stop_reason }));
        }
    }

    /// The current turn.
    pub(super) fn current(&self) -> Option<&str> {
        self.open.as_deref()
    }

    /// Queues input for the next turn.
    pub(super) fn queue(&mut self, text: &str) {
        self.queued.push_back(text.to_owned());
    }

    /// Takes the next input.
    pub(super) fn take_next(&mut self) -> Option<String> {
        self.queued.pop_front()
    }

    /// Drops all queued input.
    pub(super) fn clear_queue(&mut self) {
        self.queued.clear();
    }
}
