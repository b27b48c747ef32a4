//! Input during a run: held until the agent works, then sent; the CLI accepts it by echoing it as
//! a message, or refuses it.

use std::collections::VecDeque;

use od_protocol::{Event, NoticeLevel, UserMessage};

use super::session::notice;
use crate::commands;
use od_sdk::RunOutput;

/// The input of the user.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    /// Whether the CLI has echoed the first prompt; later user messages are input.
    has_prompt: bool,
    /// Input before the agent started: two prompts at once would race.
    held: Vec<String>,
    /// The ids of sent input that the CLI has not accepted yet.
    unaccepted: VecDeque<String>,
    sent: u32,
}

impl Inputs {
    pub(super) fn has_unaccepted(&self) -> bool {
        !self.unaccepted.is_empty() || !self.held.is_empty()
    }

    /// Holds input until the agent works.
    pub(super) fn hold(&mut self, text: &str) {
        self.held.push(text.to_owned());
    }

    /// The agent works: sends the held input.
    pub(super) fn on_start(&mut self, output: &mut RunOutput) {
        for text in std::mem::take(&mut self.held) {
            self.send(&text, output);
        }
    }

    pub(super) fn send(&mut self, text: &str, output: &mut RunOutput) {
        self.sent += 1;
        let id = format!("od-input-{}", self.sent);
        output.write_json(&commands::input(&id, text));
        self.unaccepted.push_back(id);
    }

    /// The CLI echoed a user message.
    pub(super) fn on_message(&mut self, text: String, output: &mut RunOutput) {
        if !std::mem::replace(&mut self.has_prompt, true) {
            return;
        }
        self.unaccepted.pop_front();
        output.event(Event::UserMessage(UserMessage { text }));
    }

    /// The CLI refused input.
    pub(super) fn on_refused(&mut self, id: &str, error: &str, output: &mut RunOutput) {
        if let Some(index) = self.unaccepted.iter().position(|sent| sent == id) {
            self.unaccepted.remove(index);
            output.event(notice(NoticeLevel::Warn, "input_refused", error));
        }
    }
}
