//! What a person says while the run goes on, and cannot be handed on yet.

use std::collections::VecDeque;

/// Texts that wait for a turn of their own.
#[derive(Debug, Default)]
pub(super) struct InputQueue {
    waiting: VecDeque<String>,
    has_prompt: bool,
}

impl InputQueue {
    pub(super) fn queue(&mut self, text: &str) {
        self.waiting.push_back(text.to_owned());
    }

    pub(super) fn next(&mut self) -> Option<String> {
        self.waiting.pop_front()
    }

    /// Whether what a person said is the prompt: the first is.
    pub(super) fn is_prompt(&mut self) -> bool {
        !std::mem::replace(&mut self.has_prompt, true)
    }
}
