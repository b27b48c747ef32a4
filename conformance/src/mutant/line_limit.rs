//! The limit of a line: texts become several deltas, other payloads are shortened and marked.

use od_protocol::{Event, TextDelta, ThinkingDelta, Truncated};
use serde_json::Value;

use super::fault::{Behaviour, Fault};

/// The reserve for everything but the payload.
const ENVELOPE_BYTES: usize = 2048;

/// How many bytes of a line one byte of text can need: a control character is escaped as `\\u001f`.
const MAX_ESCAPED_BYTES: usize = 6;

/// The limit of the lines of one run.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineLimit {
    behaviour: Behaviour,
    /// How many bytes of text fit into a line.
    room: usize,
}

impl LineLimit {
    /// The limit that the host announced.
    pub(super) fn new(behaviour: Behaviour, announced: u64) -> Self {
        let is_lower = announced < od_protocol::MAX_LINE_BYTES;
        let announced = match is_lower && behaviour.has(Fault::IgnoresLineLimit) {
            true => od_protocol::MAX_LINE_BYTES,
            false => announced.min(od_protocol::MAX_LINE_BYTES),
        };
        let bytes = usize::try_from(announced).unwrap_or(usize::MAX);
        Self { behaviour, room: bytes.saturating_sub(ENVELOPE_BYTES) / MAX_ESCAPED_BYTES }
    }

    /// Returns the event, or several that together have its text.
    pub(super) fn fit(&self, event: Event) -> Vec<Event> {
        match event {
            Event::TextDelta(delta) => self.pieces(delta.text, |text| {
                let message_id = delta.message_id.clone();
                Event::TextDelta(TextDelta { message_id, text, truncated: None })
            }),
            Event::ThinkingDelta(delta) => self.pieces(delta.text, |text| {
                let thinking_id = delta.thinking_id.clone();
                Event::ThinkingDelta(ThinkingDelta { thinking_id, text, truncated: None })
            }),
            Event::ToolResult(mut result) => {
                result.truncated = self.shorten(&mut result.output);
                vec![Event::ToolResult(result)]
            }
            Event::ToolCallReady(mut ready) => {
                ready.truncated = self.shorten(&mut ready.input);
                vec![Event::ToolCallReady(ready)]
            }
            other => vec![other],
        }
    }

    fn pieces(&self, text: String, event: impl Fn(String) -> Event) -> Vec<Event> {
        let (mut events, mut rest) = (Vec::new(), text.as_str());
        while rest.len() > self.room {
            let (piece, tail) = rest.split_at(self.boundary(rest));
            events.push(event(piece.to_owned()));
            rest = tail;
        }
        events.push(event(rest.to_owned()));
        events
    }

    fn shorten(&self, value: &mut Value) -> Option<Truncated> {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        if text.len() <= self.room {
            return None;
        }
        let kept = self.boundary(&text);
        let mut start = text[..kept].to_owned();
        if self.behaviour.has(Fault::CutsInsideCharacter) {
            start.pop();
            start.push('\u{fffd}');
        }
        *value = Value::String(start);
        let removed = match self.behaviour.has(Fault::TruncatedIsKept) {
            true => kept,
            false => text.len() - kept,
        };
        let is_marked = !self.behaviour.has(Fault::CutsSilently);
        is_marked.then_some(Truncated { bytes: removed as u64 })
    }

    /// The last character boundary within the room; the room of a line is larger than a character.
    fn boundary(&self, text: &str) -> usize {
        (0..=self.room).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(text.len())
    }
}
