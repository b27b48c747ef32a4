//! Prompt and messages of a run, excluded unless the user enabled them.

use od_protocol::Event;
use serde_json::{Value, json};

use super::super::attributes;
use super::super::destination::Content;
use super::super::span_draft::SpanDraft;

/// The limit of all messages of one run.
const MAX_TEXT_BYTES: usize = 64 * 1024;

impl Content {
    /// Computes a text only when content is included.
    pub(super) fn text(self, text: impl FnOnce() -> String) -> Option<String> {
        (self == Self::Included).then(text)
    }
}

/// The agent's messages in order; empty when content is excluded.
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

    /// Whether events of this type are needed.
    pub(super) fn wants(&self, type_name: &str) -> bool {
        self.content == Content::Included && matches!(type_name, "text_delta" | "message_discarded")
    }

    pub(super) fn push(&mut self, event: Event) {
        match event {
            Event::TextDelta(delta) if self.bytes + delta.text.len() <= MAX_TEXT_BYTES => {
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

    /// Adds the messages to the run's span. Only the first line of the prompt is in the record.
    pub(super) fn describe(&self, root: &mut SpanDraft, prompt: &str) {
        if self.content == Content::Excluded {
            return;
        }
        root.set_text(attributes::INPUT_MESSAGES, &messages("user", [prompt]).to_string());
        let texts = self.texts.iter().map(|(_, text)| text.as_str());
        root.set_text(attributes::OUTPUT_MESSAGES, &messages("assistant", texts).to_string());
    }
}

fn messages<'a>(role: &str, texts: impl IntoIterator<Item = &'a str>) -> Value {
    let message = |text| json!({"role": role, "parts": [{"type": "text", "content": text}]});
    texts.into_iter().map(message).collect()
}
