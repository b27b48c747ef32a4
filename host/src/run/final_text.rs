//! The text of the last message that counts.

use std::collections::BTreeMap;

use od_protocol::Event;

/// Keeps the last message. A discarded message is forgotten.
#[derive(Debug)]
pub struct FinalText {
    open: BTreeMap<String, String>,
    last_id: String,
    last: String,
    limit: usize,
}

impl Default for FinalText {
    fn default() -> Self {
        Self::limited(usize::MAX)
    }
}

impl FinalText {
    /// Of each message at most so many bytes are kept.
    pub fn limited(limit: usize) -> Self {
        Self { open: BTreeMap::new(), last_id: String::new(), last: String::new(), limit }
    }

    /// Takes the next event.
    pub fn on_event(&mut self, event: &Event) {
        match event {
            Event::TextDelta(delta) => {
                let message = self.open.entry(delta.message_id.clone()).or_default();
                message.push_str(beginning(&delta.text, self.limit.saturating_sub(message.len())));
            }
            Event::MessageStopped(message) => self.keep(&message.message_id),
            Event::MessageDiscarded(message) => self.discard(&message.message_id),
            // An attempt that was cut short leaves its last message open.
            Event::RunStarted(_) | Event::Done(_) => {
                let open: Vec<String> = self.open.keys().cloned().collect();
                open.iter().for_each(|message_id| self.keep(message_id));
            }
            _ => {}
        }
    }

    /// The text so far; empty when the agent said nothing.
    pub fn text(&self) -> &str {
        self.last.trim()
    }

    fn keep(&mut self, message_id: &str) {
        if let Some(text) = self.open.remove(message_id)
            && !text.trim().is_empty()
        {
            self.last = text;
            self.last_id = message_id.to_owned();
        }
    }

    fn discard(&mut self, message_id: &str) {
        self.open.remove(message_id);
        if self.last_id == message_id {
            self.last.clear();
        }
    }
}

fn beginning(text: &str, limit: usize) -> &str {
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
