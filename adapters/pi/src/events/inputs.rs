//! What a person says while the run goes on: kept until the agent works, sent, and outstanding
//! until the CLI repeats it as a message or refuses it.

use std::collections::VecDeque;

use od_protocol::{Event, NoticeLevel, UserMessage};

use super::session::notice;
use crate::commands;
use od_sdk::RunOutput;

/// The lines of a person.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    /// The first prompt was repeated: the next message of the person is input.
    has_prompt: bool,
    /// Said before the agent began; two prompts at once would race.
    early: Vec<String>,
    /// Sent, by id; the CLI has not taken them yet.
    outstanding: VecDeque<String>,
    sent: u32,
}

impl Inputs {
    pub(super) fn is_outstanding(&self) -> bool {
        !self.outstanding.is_empty() || !self.early.is_empty()
    }

    /// The agent does not work yet.
    pub(super) fn keep(&mut self, text: &str) {
        self.early.push(text.to_owned());
    }

    /// The agent works: what was kept goes out.
    pub(super) fn on_start(&mut self, output: &mut RunOutput) {
        for text in std::mem::take(&mut self.early) {
            self.send(&text, output);
        }
    }

    pub(super) fn send(&mut self, text: &str, output: &mut RunOutput) {
        self.sent += 1;
        let id = format!("od-input-{}", self.sent);
        output.write_json(&commands::input(&id, text));
        self.outstanding.push_back(id);
    }

    /// A message of the person was taken up.
    pub(super) fn on_message(&mut self, text: String, output: &mut RunOutput) {
        if !std::mem::replace(&mut self.has_prompt, true) {
            return;
        }
        self.outstanding.pop_front();
        output.event(Event::UserMessage(UserMessage { text }));
    }

    /// A line of ours was refused.
    pub(super) fn on_refused(&mut self, id: &str, error: &str, output: &mut RunOutput) {
        if let Some(index) = self.outstanding.iter().position(|sent| sent == id) {
            self.outstanding.remove(index);
            output.event(notice(NoticeLevel::Warn, "input_refused", error));
        }
    }
}
