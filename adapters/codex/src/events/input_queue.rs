//! User input that waits for a turn.

use std::collections::VecDeque;

/// Input that waits for the next turn.
#[derive(Debug, Default)]
pub(super) struct InputQueue {
    waiting: VecDeque<String>,
    has_message: bool,
}

impl InputQueue {
    pub(super) fn queue(&mut self, text: &str) {
        self.waiting.push_back(text.to_owned());
    }

    pub(super) fn next(&mut self) -> Option<String> {
        self.waiting.pop_front()
    }

    /// Whether this is the first user message of the run, which is the prompt.
    pub(super) fn is_first_message(&mut self) -> bool {
        !std::mem::replace(&mut self.has_message, true)
    }
}
