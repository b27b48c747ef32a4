//! Session and turns: each user message is one turn, from `system/init` to `result`.

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
    /// Input that arrived during a turn; each becomes a turn. Without the first prompt.
    queued_input: VecDeque<String>,
}

impl Turns {
    pub(super) fn new(choice: &SessionChoice) -> Self {
        Self {
            mode: choice.mode,
            id: None,
            turns: turns::Turns::default(),
            queued_input: VecDeque::new(),
        }
    }

    /// The id of the current turn.
    pub(super) fn current(&self) -> Option<&str> {
        self.turns.current()
    }

    pub(super) fn is_open(&self) -> bool {
        self.turns.current().is_some()
    }

    /// Records input that was written to the CLI and waits for its turn.
    pub(super) fn queue_input(&mut self, text: &str) {
        self.queued_input.push_back(text.to_owned());
    }

    pub(super) fn has_queued_input(&self) -> bool {
        !self.queued_input.is_empty()
    }

    /// `system/init` is printed at the start of every turn; the session starts once.
    pub(super) fn on_init(&mut self, init: Init, output: &mut RunOutput) {
        if self.id.is_none() {
            self.id = Some(init.session_id.clone());
            output.event(init.session_started(self.mode, None));
        }
        self.ensure(output);
    }

    /// Starts a turn unless one is open.
    pub(super) fn ensure(&mut self, output: &mut RunOutput) {
        if self.turns.current().is_some() {
            return;
        }
        if self.turns.count() > 0
            && let Some(text) = self.queued_input.pop_front()
        {
            output.event(Event::UserMessage(UserMessage { text }));
        }
        self.turns.ensure(output);
    }

    pub(super) fn end(&mut self, stop_reason: StopReason, output: &mut RunOutput) {
        self.turns.end(stop_reason, output);
    }
}
