//! User input during the run: sent, and pending until the CLI echoes it.

use od_protocol::{Event, UserMessage};
use od_sdk::RunOutput;
use od_sdk::stream_json::control::text_block;

use crate::control;

/// An input line that the CLI has not accepted yet.
#[derive(Debug)]
struct PendingInput {
    uuid: String,
    text: String,
    /// The number of started turns when it was sent.
    turns: u32,
}

/// The pending input lines. The first prompt is not among them: any result answers it.
#[derive(Debug)]
pub(super) struct Inputs {
    pending: Vec<PendingInput>,
    /// Returns the id of the next line.
    new_id: fn() -> String,
}

impl Inputs {
    pub(super) fn new(new_id: fn() -> String) -> Self {
        Self { pending: Vec::new(), new_id }
    }

    /// Whether a line is pending, so that another turn follows. The CLI echoes each line once, whether
    /// it steers a turn, starts one, or shares one with others (recordings `sj_steer`, `sj_queue`).
    /// Without the echo, the next turn accepts the line (recording `sj_multiturn`, made without
    /// `--replay-user-messages`).
    pub(super) fn has_pending(&mut self, turn: u32, output: &mut RunOutput) -> bool {
        while let Some(line) = self.pending.first().filter(|line| line.turns < turn) {
            let uuid = line.uuid.clone();
            self.on_echo(Some(&uuid), output);
        }
        !self.pending.is_empty()
    }

    pub(super) fn send(&mut self, text: &str, turns: u32, output: &mut RunOutput) {
        let uuid = (self.new_id)();
        output.write_json(&control::user_line(vec![text_block(text)], "", &uuid));
        self.pending.push(PendingInput { uuid, text: text.to_owned(), turns });
    }

    /// The CLI accepted a line.
    pub(super) fn on_echo(&mut self, uuid: Option<&str>, output: &mut RunOutput) {
        let index = self.pending.iter().position(|line| Some(line.uuid.as_str()) == uuid);
        if let Some(index) = index {
            let PendingInput { text, .. } = self.pending.remove(index);
            output.event(Event::UserMessage(UserMessage { text }));
        }
    }
}
