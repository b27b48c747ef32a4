//! What a person says while the run goes on: sent, and outstanding until the CLI echoes it.

use od_protocol::{Event, UserMessage};
use od_sdk::RunOutput;
use od_sdk::stream_json::control::text_block;

use crate::control;

/// A line the CLI has not taken yet.
#[derive(Debug)]
struct Outstanding {
    uuid: String,
    text: String,
    /// How many turns had begun when it was sent.
    turns: u32,
}

/// Lines the CLI has not taken yet. The first prompt is not among them: any result answers it.
#[derive(Debug)]
pub(super) struct Inputs {
    outstanding: Vec<Outstanding>,
    /// Where the ids of lines come from.
    new_id: fn() -> String,
}

impl Inputs {
    pub(super) fn new(new_id: fn() -> String) -> Self {
        Self { outstanding: Vec::new(), new_id }
    }

    /// Whether the CLI will go on after the result of this turn. Every line is echoed once, whether
    /// it steers a turn, starts one, or shares one with others (recordings `sj_steer`, `sj_queue`).
    /// A turn that began after a line was sent has taken it even without an echo (recording
    /// `sj_multiturn`, made without `--replay-user-messages`).
    pub(super) fn is_outstanding(&mut self, turn: u32, output: &mut RunOutput) -> bool {
        while let Some(line) = self.outstanding.first().filter(|line| line.turns < turn) {
            let uuid = line.uuid.clone();
            self.on_echo(Some(&uuid), output);
        }
        !self.outstanding.is_empty()
    }

    pub(super) fn send(&mut self, text: &str, turns: u32, output: &mut RunOutput) {
        let uuid = (self.new_id)();
        output.write_json(&control::user_line(vec![text_block(text)], "", &uuid));
        self.outstanding.push(Outstanding { uuid, text: text.to_owned(), turns });
    }

    /// A line was taken.
    pub(super) fn on_echo(&mut self, uuid: Option<&str>, output: &mut RunOutput) {
        let taken = self.outstanding.iter().position(|line| Some(line.uuid.as_str()) == uuid);
        if let Some(taken) = taken {
            let Outstanding { text, .. } = self.outstanding.remove(taken);
            output.event(Event::UserMessage(UserMessage { text }));
        }
    }
}
