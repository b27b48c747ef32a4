//! What was said: left out unless it is asked for.

use od_protocol::Event;
use serde_json::{Value, json};

use super::super::span::Draft;
use super::super::words;

/// Bytes of text that are kept of one run.
const MOST_TEXT: usize = 64 * 1024;

/// Whether what was said may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// No.
    LeftOut,
    /// Yes: somebody asked for it.
    Captured,
}

impl Content {
    /// A text, where it may be sent.
    pub(super) fn text(self, text: impl FnOnce() -> String) -> Option<String> {
        (self == Self::Captured).then(text)
    }
}

/// The agent's messages, in order, where they may be sent.
#[derive(Debug)]
pub(super) struct Messages {
    content: Content,
    texts: Vec<(String, String)>,
    bytes: usize,
}

impl Messages {
    pub(super) fn new(content: Content) -> Self {
        Self { content, texts: Vec::new(), bytes: 0 }
    }

    pub(super) fn content(&self) -> Content {
        self.content
    }

    /// Whether events of a type are messages that may be sent.
    pub(super) fn wants(&self, type_name: &str) -> bool {
        self.content == Content::Captured && matches!(type_name, "text_delta" | "message_discarded")
    }

    pub(super) fn take(&mut self, event: Event) {
        match event {
            Event::TextDelta(delta) if self.bytes + delta.text.len() <= MOST_TEXT => {
                self.bytes += delta.text.len();
                match self.texts.iter_mut().find(|(id, _)| *id == delta.message_id) {
                    Some((_, text)) => text.push_str(&delta.text),
                    None => self.texts.push((delta.message_id, delta.text)),
                }
            }
            Event::MessageDiscarded(message) => {
                self.texts.retain(|(id, _)| *id != message.message_id);
            }
            _ => {}
        }
    }

    /// Of the prompt its first line is known: the journal does not keep the rest.
    pub(super) fn describe(&self, root: &mut Draft, prompt: &str) {
        if self.content == Content::LeftOut {
            return;
        }
        root.set_text(words::INPUT_MESSAGES, &messages("user", [prompt]).to_string());
        let texts = self.texts.iter().map(|(_, text)| text.as_str());
        root.set_text(words::OUTPUT_MESSAGES, &messages("assistant", texts).to_string());
    }
}

fn messages<'a>(role: &str, texts: impl IntoIterator<Item = &'a str>) -> Value {
    let message = |text| json!({"role": role, "parts": [{"type": "text", "content": text}]});
    texts.into_iter().map(message).collect()
}
