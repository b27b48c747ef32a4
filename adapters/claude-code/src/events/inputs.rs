//! What a person says while the run goes on: sent, and outstanding until the CLI echoes it.

use od_protocol::{Event, UserMessage};
use od_sdk::RunOutput;

use crate::control;

/// A line the CLI has not taken yet.
#[derive(Debug)]
struct Outstanding {
    uuid: String,
    text: String,
}

/// Lines the CLI has not taken yet. The first prompt is not among them: any result answers it.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    outstanding: Vec<Outstanding>,
}

impl Inputs {
    /// Whether the CLI will go on after the result at hand. Every line is echoed once, whether it
    /// steers a turn, starts one, or shares one with others (recordings `sj_steer`, `sj_queue`).
    pub(super) fn is_outstanding(&self) -> bool {
        !self.outstanding.is_empty()
    }

    pub(super) fn send(&mut self, text: &str, output: &mut RunOutput) {
        let uuid = control::fresh_uuid();
        output.write_json(&control::user_line(vec![control::text_block(text)], "", &uuid));
        self.outstanding.push(Outstanding { uuid, text: text.to_owned() });
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
