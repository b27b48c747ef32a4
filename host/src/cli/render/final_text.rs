//! The output `text`: the last message that counts, and nothing else.

use std::collections::BTreeMap;

use od_protocol::Event;

use crate::cli::terminal::Sanitizer;

/// Keeps the last message. A discarded message is forgotten.
#[derive(Debug, Default)]
pub(crate) struct FinalText {
    open: BTreeMap<String, OpenMessage>,
    last_id: String,
    last: String,
}

#[derive(Debug, Default)]
struct OpenMessage {
    sanitizer: Sanitizer,
    text: String,
}

impl FinalText {
    pub(crate) fn on_event(&mut self, event: &Event) {
        match event {
            Event::TextDelta(delta) => {
                let message = self.open.entry(delta.message_id.clone()).or_default();
                let clean = message.sanitizer.push(&delta.text);
                message.text.push_str(&clean);
            }
            Event::MessageStopped(message) => self.keep(&message.message_id),
            Event::MessageDiscarded(message) => self.discard(&message.message_id),
            Event::Done(_) => {
                // A run that was cut short leaves its last message open.
                let open: Vec<String> = self.open.keys().cloned().collect();
                open.iter().for_each(|message_id| self.keep(message_id));
            }
            _ => {}
        }
    }

    /// The text, ending in one line end; empty when the agent said nothing.
    pub(crate) fn text(&self) -> String {
        match self.last.trim() {
            "" => String::new(),
            text => format!("{text}\n"),
        }
    }

    fn keep(&mut self, message_id: &str) {
        if let Some(message) = self.open.remove(message_id)
            && !message.text.trim().is_empty()
        {
            self.last = message.text;
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
