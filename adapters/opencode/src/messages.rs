//! Text and reasoning: emitted in pieces where OpenCode sends pieces, otherwise as a whole, and
//! never twice.

use std::collections::HashMap;

use od_protocol::{Event, MessageDiscarded, MessageStopped, ThinkingStopped};

use super::native::Part;
use od_sdk::RunOutput;

/// The kind of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Reasoning,
}

/// How much of a part was emitted.
#[derive(Debug)]
struct Emitted {
    kind: Kind,
    bytes: usize,
    is_complete: bool,
}

/// The parts that were emitted so far.
#[derive(Debug, Default)]
pub(super) struct Messages {
    emitted: HashMap<String, Emitted>,
    /// The parts of the running step, in their order.
    step: Vec<String>,
}

impl Messages {
    pub(super) fn on_text(&mut self, part: &Part, output: &mut RunOutput) {
        self.on_part(part, Kind::Text, output);
    }

    pub(super) fn on_reasoning(&mut self, part: &Part, output: &mut RunOutput) {
        self.on_part(part, Kind::Reasoning, output);
    }

    /// Emits what the part has beyond what was emitted before. The last state may be shorter, since
    /// trailing blanks are cut off; that discards nothing.
    fn on_part(&mut self, part: &Part, kind: Kind, output: &mut RunOutput) {
        if !self.emitted.contains_key(&part.id) {
            self.step.push(part.id.clone());
        }
        let fresh = Emitted { kind, bytes: 0, is_complete: false };
        let emitted = self.emitted.entry(part.id.clone()).or_insert(fresh);
        if emitted.is_complete {
            return;
        }
        if let Some(rest) = part.text.get(emitted.bytes..).filter(|rest| !rest.is_empty()) {
            emit_delta(kind, &part.id, rest, output);
            emitted.bytes = part.text.len();
        }
        if part.is_complete() && emitted.bytes > 0 {
            emitted.is_complete = true;
            emit_stop(kind, &part.id, output);
        }
    }

    /// Emits a piece of an announced part; returns `false` for an unknown part. Pieces of text and
    /// of reasoning look the same, so only the announcement distinguishes them.
    pub(super) fn on_delta(&mut self, part_id: &str, piece: &str, output: &mut RunOutput) -> bool {
        let Some(emitted) = self.emitted.get_mut(part_id) else { return false };
        if !emitted.is_complete && !piece.is_empty() {
            emitted.bytes += piece.len();
            emit_delta(emitted.kind, part_id, piece, output);
        }
        true
    }

    /// The part was removed: its text is discarded, and nothing more of it is emitted.
    pub(super) fn on_removed(&mut self, part_id: &str, output: &mut RunOutput) {
        let Some(emitted) = self.emitted.get_mut(part_id) else { return };
        let was_complete = std::mem::replace(&mut emitted.is_complete, true);
        match emitted {
            Emitted { kind: Kind::Text, bytes: 1.., .. } => {
                let message_id = part_id.to_owned();
                output.event(Event::MessageDiscarded(MessageDiscarded { message_id }));
            }
            Emitted { kind: Kind::Reasoning, bytes: 1.., .. } if !was_complete => {
                emit_stop(Kind::Reasoning, part_id, output);
            }
            _ => {}
        }
    }

    /// The step has finished, so its text is final.
    pub(super) fn on_step_finish(&mut self) {
        self.step.clear();
    }

    /// The model is called again: the text of the running step will come again under new ids.
    pub(super) fn on_retry(&mut self, output: &mut RunOutput) {
        for part_id in std::mem::take(&mut self.step) {
            self.on_removed(&part_id, output);
        }
    }
}

fn emit_delta(kind: Kind, part_id: &str, text: &str, output: &mut RunOutput) {
    match kind {
        Kind::Text => output.text_delta(part_id, text),
        Kind::Reasoning => output.thinking_delta(part_id, text),
    }
}

fn emit_stop(kind: Kind, part_id: &str, output: &mut RunOutput) {
    let id = part_id.to_owned();
    output.event(match kind {
        Kind::Text => Event::MessageStopped(MessageStopped { message_id: id }),
        Kind::Reasoning => Event::ThinkingStopped(ThinkingStopped { thinking_id: id }),
    });
}
