//! Text and reasoning: in pieces where the wire has them, as a whole where it has not, never twice.

use std::collections::HashMap;

use od_protocol::{Event, MessageDiscarded, MessageStopped, ThinkingStopped};

use super::native::Part;
use crate::RunOutput;

/// What a part says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Reasoning,
}

/// What was told of a part.
#[derive(Debug)]
struct Told {
    kind: Kind,
    bytes: usize,
    is_complete: bool,
}

/// The parts that were told so far.
#[derive(Debug, Default)]
pub(super) struct Speech {
    told: HashMap<String, Told>,
    /// Those of the step that runs, in their order.
    step: Vec<String>,
}

impl Speech {
    pub(super) fn on_text(&mut self, part: &Part, output: &mut RunOutput) {
        self.on_part(part, Kind::Text, output);
    }

    pub(super) fn on_reasoning(&mut self, part: &Part, output: &mut RunOutput) {
        self.on_part(part, Kind::Reasoning, output);
    }

    /// Says what the part has beyond what was told. The last state may be shorter: blanks at the end
    /// of a text are cut off then, and nothing is to be taken back for that.
    fn on_part(&mut self, part: &Part, kind: Kind, output: &mut RunOutput) {
        if !self.told.contains_key(&part.id) {
            self.step.push(part.id.clone());
        }
        let fresh = Told { kind, bytes: 0, is_complete: false };
        let told = self.told.entry(part.id.clone()).or_insert(fresh);
        if told.is_complete {
            return;
        }
        if let Some(rest) = part.text.get(told.bytes..).filter(|rest| !rest.is_empty()) {
            say(kind, &part.id, rest, output);
            told.bytes = part.text.len();
        }
        if part.is_complete() && told.bytes > 0 {
            told.is_complete = true;
            stop(kind, &part.id, output);
        }
    }

    /// A piece of a part that was announced; `false` when it was not. Both kinds of text grow by
    /// pieces that look the same, so only the announcement tells them apart.
    pub(super) fn on_delta(&mut self, part_id: &str, piece: &str, output: &mut RunOutput) -> bool {
        let Some(told) = self.told.get_mut(part_id) else { return false };
        if !told.is_complete && !piece.is_empty() {
            told.bytes += piece.len();
            say(told.kind, part_id, piece, output);
        }
        true
    }

    /// The part was taken back: what it said does not count, and it says nothing more.
    pub(super) fn on_removed(&mut self, part_id: &str, output: &mut RunOutput) {
        let Some(told) = self.told.get_mut(part_id) else { return };
        let was_complete = std::mem::replace(&mut told.is_complete, true);
        match told {
            Told { kind: Kind::Text, bytes: 1.., .. } => {
                let message_id = part_id.to_owned();
                output.event(Event::MessageDiscarded(MessageDiscarded { message_id }));
            }
            Told { kind: Kind::Reasoning, bytes: 1.., .. } if !was_complete => {
                stop(Kind::Reasoning, part_id, output);
            }
            _ => {}
        }
    }

    /// The step is over: what it said counts.
    pub(super) fn on_step_finish(&mut self) {
        self.step.clear();
    }

    /// The answer is asked for once more: what the step said comes again under new names.
    pub(super) fn on_retry(&mut self, output: &mut RunOutput) {
        for part_id in std::mem::take(&mut self.step) {
            self.on_removed(&part_id, output);
        }
    }
}

fn say(kind: Kind, part_id: &str, text: &str, output: &mut RunOutput) {
    match kind {
        Kind::Text => output.text_delta(part_id, text),
        Kind::Reasoning => output.thinking_delta(part_id, text),
    }
}

fn stop(kind: Kind, part_id: &str, output: &mut RunOutput) {
    let id = part_id.to_owned();
    output.event(match kind {
        Kind::Text => Event::MessageStopped(MessageStopped { message_id: id }),
        Kind::Reasoning => Event::ThinkingStopped(ThinkingStopped { thinking_id: id }),
    });
}
