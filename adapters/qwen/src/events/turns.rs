//! Session and turns: each line of a person's is one turn, from `system/init` to `result`.

use std::collections::VecDeque;

use od_protocol::{Event, SessionChoice, SessionMode, StopReason, UserMessage};
use od_sdk::RunOutput;
use od_sdk::stream_json::Init;
use od_sdk::turns;

/// The session and its turns.
#[derive(Debug)]
pub(super) struct Turns {
    mode: SessionMode,
    id: Option<String>,
    turns: turns::Turns,
    /// What was said while a turn ran; each will be a turn of its own. The first prompt is not
    /// among them.
    outstanding: VecDeque<String>,
}

impl Turns {
    pub(super) fn new(choice: &SessionChoice) -> Self {
        Self {
            mode: choice.mode,
            id: None,
            turns: turns::Turns::default(),
            outstanding: VecDeque::new(),
        }
    }

    /// The turn that runs.
    pub(super) fn current(&self) -> Option<&str> {
        self.turns.current()
    }

    pub(super) fn is_open(&self) -> bool {
        self.turns.current().is_some()
    }

    /// A line was sent that waits for its turn.
    pub(super) fn expect(&mut self, text: &str) {
        self.outstanding.push_back(text.to_owned());
    }

    pub(super) fn is_outstanding(&self) -> bool {
        !self.outstanding.is_empty()
    }

    /// `system/init` comes at the start of every turn; the session starts only once.
    pub(super) fn on_init(&mut self, init: Init, output: &mut RunOutput) {
        if self.id.is_none() {
            self.id = Some(init.session_id.clone());
            output.event(init.session_started(self.mode, None));
        }
        self.ensure(output);
    }

    /// A turn runs from the first sign of the CLI's work to its result.
    pub(super) fn ensure(&mut self, output: &mut RunOutput) {
        if self.turns.current().is_some() {
            return;
        }
        if self.turns.count() > 0
            && let Some(text) = self.outstanding.pop_front()
        {
            output.event(Event::UserMessage(UserMessage { text }));
        }
        self.turns.ensure(output);
    }

    pub(super) fn end(&mut self, stop_reason: StopReason, output: &mut RunOutput) {
        self.turns.end(stop_reason, output);
    }
}
