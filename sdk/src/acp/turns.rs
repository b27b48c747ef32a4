//! Turns of the model: which one runs, and what waits to be said in the next.

use std::collections::VecDeque;

use od_protocol::{Event, StopReason, TurnEnded, TurnStarted};

use crate::RunOutput;

/// The turns of a run. ACP knows one prompt at a time, so what is said meanwhile waits.
#[derive(Debug, Default)]
pub(super) struct Turns {
    count: u32,
    open: Option<String>,
    waiting: VecDeque<String>,
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

    /// The turn that runs.
    pub(super) fn current(&self) -> Option<&str> {
        self.open.as_deref()
    }

    /// To be said when the turn is over.
    pub(super) fn queue(&mut self, text: &str) {
        self.waiting.push_back(text.to_owned());
    }

    /// What is to be said next.
    pub(super) fn next(&mut self) -> Option<String> {
        self.waiting.pop_front()
    }

    /// Nothing more is to be said.
    pub(super) fn forget(&mut self) {
        self.waiting.clear();
    }
}
