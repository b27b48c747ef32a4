//! The text of the last message that was not discarded.

use std::collections::BTreeMap;

use od_protocol::Event;

/// Collects the text of the last message; ignores discarded messages.
///
/// ```
/// use od_host::run::FinalText;
/// use od_protocol::{Event, MessageStopped, TextDelta};
///
/// let mut text = FinalText::default();
/// let message_id = "m1".to_owned();
/// let delta = TextDelta { message_id: message_id.clone(), text: "fixed".to_owned(), truncated: None };
/// text.on_event(&Event::TextDelta(delta));
/// text.on_event(&Event::MessageStopped(MessageStopped { message_id }));
/// assert_eq!(text.text(), "fixed");
/// ```
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
    /// Keeps at most this many bytes of each message.
    pub fn limited(limit: usize) -> Self {
        Self { open: BTreeMap::new(), last_id: String::new(), last: String::new(), limit }
    }

    /// Processes the next event.
    pub fn on_event(&mut self, event: &Event) {
        match event {
            Event::TextDelta(delta) => {
                let message = self.open.entry(delta.message_id.clone()).or_default();
                message.push_str(beginning(&delta.text, self.limit.saturating_sub(message.len())));
            }
            Event::MessageStopped(message) => self.keep(&message.message_id),
            Event::MessageDiscarded(message) => self.discard(&message.message_id),
            // An interrupted attempt leaves its last message open.
            Event::RunStarted(_) | Event::Done(_) => {
                let open: Vec<String> = self.open.keys().cloned().collect();
                open.iter().for_each(|message_id| self.keep(message_id));
            }
            _ => {}
        }
    }

    /// The text so far; empty when there was no message.
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
