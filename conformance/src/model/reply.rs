//! A response as data: status, headers, bytes and pauses. `handle` sends it.

use std::time::Duration;

use serde_json::Value;

use super::answer::{Answer, Fault};
use super::failure::Refusal;

#[derive(Debug, Clone)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) fragments: Vec<Piece>,
    /// Whether it has a content-length; such a reply cannot be interrupted.
    pub(super) sized: bool,
}

/// One step of sending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Bytes(Vec<u8>),
    Pause(Duration),
    /// Close the connection; later pieces are not sent.
    Cut,
    /// Silence until the client disconnects.
    Silence,
    /// The end; later pieces are not sent.
    End,
}

impl Reply {
    pub(super) fn json(status: u16, body: &Value) -> Self {
        Self {
            status,
            headers: vec![("content-type", "application/json".to_owned())],
            fragments: vec![Piece::Bytes(body.to_string().into_bytes())],
            sized: true,
        }
    }

    /// A response without a body.
    pub(super) fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), fragments: Vec::new(), sized: true }
    }

    pub(super) fn refusal(refusal: Refusal) -> Self {
        Self::json(refusal.status, &refusal.body).with(refusal.headers)
    }

    pub(super) fn stream(script: Script) -> Self {
        let kind = match script.style {
            Style::Events => "text/event-stream",
            Style::JsonList => "application/json",
        };
        let headers =
            vec![("content-type", kind.to_owned()), ("cache-control", "no-cache".to_owned())];
        Self { status: 200, headers, fragments: script.finish(), sized: false }
    }

    /// The answer as one document. Faults apply to streams only: agent CLIs that retry without a stream
    /// get the answer.
    pub(super) fn to_document(answer: &Answer, body: &Value) -> Self {
        let mut reply = Self::json(200, body);
        let waits = match answer.fault {
            Fault::Hang | Fault::Stall => vec![Piece::Silence],
            _ if answer.pace >= Duration::from_secs(1) => {
                let count = u32::try_from(answer.text.len()).unwrap_or(u32::MAX);
                vec![Piece::Pause(answer.pace.saturating_mul(count))]
            }
            _ => return reply,
        };
        reply.sized = false;
        reply.fragments.splice(0..0, waits);
        reply
    }

    pub(super) fn with(mut self, headers: Vec<(&'static str, String)>) -> Self {
        self.headers.extend(headers);
        self
    }
}

/// How the events of a stream are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Server-sent events.
    Events,
    JsonList,
}

/// Builds a stream; each event is one write.
#[derive(Debug, Clone)]
pub(super) struct Script {
    style: Style,
    fragments: Vec<Piece>,
    events: usize,
    escapes_separators: bool,
}

impl Script {
    /// A stream without events.
    pub(super) fn new(style: Style) -> Self {
        Self { style, fragments: Vec::new(), events: 0, escapes_separators: false }
    }

    /// Writes U+2028 and U+2029 as escapes from now on, as some providers do, because their clients
    /// treat them as line ends.
    pub(super) fn escape_separators(&mut self) {
        self.escapes_separators = true;
    }

    pub(super) fn named(&mut self, name: &str, data: &Value) {
        self.write(Some(name), &data.to_string());
    }

    /// An event without a name.
    pub(super) fn data(&mut self, data: &Value) {
        self.write(None, &data.to_string());
    }

    /// An event that is intentionally not JSON.
    pub(super) fn mark(&mut self, text: &str) {
        self.write(None, text);
    }

    /// The fragments of the answer's text, with the fault among them.
    pub(super) fn text(
        &mut self,
        answer: &Answer,
        event: impl Fn(&str) -> (Option<&'static str>, Value),
    ) {
        for (index, text) in answer.text.iter().enumerate() {
            let (name, data) = event(text);
            let data = data.to_string();
            match (&answer.fault, index) {
                (Fault::Malformed, 1) => self.write(name, half(&data)),
                (Fault::Cut, 2) => self.fragments.push(Piece::Cut),
                (Fault::Stall, 2) => self.fragments.push(Piece::Silence),
                _ => self.write(name, &data),
            }
            if answer.split_characters {
                self.split_last();
            }
            if !answer.pace.is_zero() {
                self.fragments.push(Piece::Pause(answer.pace));
            }
        }
        match answer.fault {
            Fault::Cut => self.fragments.push(Piece::Cut),
            Fault::Stall => self.fragments.push(Piece::Silence),
            _ => {}
        }
    }

    /// A stream without any event.
    pub(super) fn silent(style: Style) -> Self {
        Self { fragments: vec![Piece::Silence], ..Self::new(style) }
    }

    /// Ends the stream early.
    pub(super) fn end(&mut self) {
        self.fragments.push(Piece::End);
    }

    fn write(&mut self, name: Option<&str>, data: &str) {
        let escaped = data.replace('\u{2028}', r"\u2028").replace('\u{2029}', r"\u2029");
        let data = if self.escapes_separators { escaped.as_str() } else { data };
        let text = match (self.style, name) {
            (Style::Events, Some(name)) => format!("event: {name}\ndata: {data}\n\n"),
            (Style::Events, None) => format!("data: {data}\n\n"),
            (Style::JsonList, _) if self.events == 0 => format!("[{data}"),
            (Style::JsonList, _) => format!(",\r\n{data}"),
        };
        self.events += 1;
        self.fragments.push(Piece::Bytes(text.into_bytes()));
    }

    /// Splits the last event inside its first multi-byte character.
    fn split_last(&mut self) {
        if let Some(Piece::Bytes(bytes)) = self.fragments.last_mut()
            && let Some(start) = bytes.iter().position(|byte| !byte.is_ascii())
        {
            let rest = bytes.split_off(start + 1);
            self.fragments.push(Piece::Pause(Duration::from_millis(20)));
            self.fragments.push(Piece::Bytes(rest));
        }
    }

    fn finish(mut self) -> Vec<Piece> {
        if self.style == Style::JsonList {
            let last = if self.events == 0 { "[]" } else { "]" };
            self.fragments.push(Piece::Bytes(last.as_bytes().to_vec()));
        }
        self.fragments
    }
}

fn half(text: &str) -> &str {
    let middle = (0..=text.len() / 2).rev().find(|index| text.is_char_boundary(*index));
    &text[..middle.unwrap_or(0)]
}
