//! How events are worded: `{"events":[…]}` for JSON-RPC notifications, or server-sent events. Pure; which events and
//! when is decided in `attach`.

use std::io::Write;
use std::sync::Arc;

use hyper::body::Bytes;
use serde_json::value::RawValue;

use super::shelf::{Row, Shelf};
use crate::journal::JournalEvent;

const OPENING: &[u8] = br#"{"events":["#;

/// A way of wording events, while they are gathered.
pub(super) trait Wording: Default {
    /// All of them in words; cheap to give to many.
    type Content: Clone;

    /// Where such batches are kept for others.
    fn row(shelf: &Shelf) -> &Row<Self::Content>;

    /// Takes the next event.
    fn push(&mut self, event: &JournalEvent<'_>);

    /// Puts an end to it.
    fn finish(self) -> Self::Content;
}

/// `{"events":[…]}`.
#[derive(Debug)]
pub(super) struct Item(Box<RawValue>);

impl Item {
    /// Without any event.
    pub(super) fn empty() -> Option<Arc<Self>> {
        Items { text: OPENING.to_vec(), ends: Vec::new() }.finish()
    }

    /// Its JSON.
    pub(super) fn get(&self) -> &RawValue {
        &self.0
    }
}

/// `{"events":[…,` while it grows; the bytes of each event as the adapter wrote them.
#[derive(Debug, Default)]
pub(super) struct Items {
    text: Vec<u8>,
    /// Where each event ends.
    ends: Vec<usize>,
}

impl Wording for Items {
    /// Nothing when no event was fit to be sent.
    type Content = Option<Arc<Item>>;

    fn row(shelf: &Shelf) -> &Row<Self::Content> {
        &shelf.items
    }

    fn push(&mut self, event: &JournalEvent<'_>) {
        self.push_bytes(event.bytes);
    }

    /// The journal looks at an event's beginning only, so one with a broken inside may be among them: it is
    /// left out.
    fn finish(mut self) -> Self::Content {
        self.text.extend_from_slice(b"]}");
        if let Ok(item) = serde_json::from_slice::<&RawValue>(&self.text) {
            return Some(Arc::new(Item(item.to_owned())));
        }
        let mut whole = Self::default();
        let mut start = OPENING.len();
        for &end in &self.ends {
            let event = &self.text[start..end];
            if serde_json::from_slice::<&RawValue>(event).is_ok() {
                whole.push_bytes(event);
            }
            start = end + 1;
        }
        let broken = self.ends.len() - whole.ends.len();
        tracing::warn!(broken, "events that are no JSON are not sent");
        if whole.ends.is_empty() { None } else { whole.finish() }
    }
}

impl Items {
    fn push_bytes(&mut self, event: &[u8]) {
        self.text.extend_from_slice(if self.ends.is_empty() { OPENING } else { b"," });
        self.text.extend_from_slice(event);
        self.ends.push(self.text.len());
    }
}

/// Server-sent events.
#[derive(Debug, Default)]
pub(super) struct Stream {
    text: Vec<u8>,
}

impl Wording for Stream {
    type Content = Bytes;

    fn row(shelf: &Shelf) -> &Row<Bytes> {
        &shelf.streams
    }

    fn push(&mut self, event: &JournalEvent<'_>) {
        let text = &mut self.text;
        write!(text, "id: {}\nevent: {}\ndata: ", event.seq, event.type_name)
            .expect("memory takes every byte");
        let start = text.len();
        text.extend_from_slice(event.bytes);
        // Between two members a bare return is only space to JSON, but the end of a line here.
        for at in memchr::memchr_iter(b'\r', event.bytes) {
            text[start + at] = b' ';
        }
        text.extend_from_slice(b"\n\n");
    }

    fn finish(self) -> Bytes {
        Bytes::from(self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(events: &[&str]) -> Option<String> {
        let mut items = Items::default();
        for event in events {
            items.push_bytes(event.as_bytes());
        }
        items.finish().map(|item| item.get().get().to_owned())
    }

    #[test]
    fn events_become_one_text_and_keep_their_bytes() {
        let text = item(&["{\"a\": 1}", "{\"b\":\"\u{fc}\"}"]);
        assert_eq!(text.as_deref(), Some("{\"events\":[{\"a\": 1},{\"b\":\"\u{fc}\"}]}"));
    }

    #[test]
    fn a_broken_event_does_not_take_the_others_with_it() {
        let text = item(&["{\"a\":1}", "{\"b\":}", "{\"c\":3}"]);
        assert_eq!(text.as_deref(), Some(r#"{"events":[{"a":1},{"c":3}]}"#));
        assert_eq!(item(&["{\"b\":}"]), None);
        let empty = Item::empty().expect("an item");
        assert_eq!(empty.get().get(), r#"{"events":[]}"#);
    }

    #[test]
    fn a_server_sent_event_is_three_lines_whatever_is_in_it() {
        let bytes = b"{\"seq\":3,\r \"event\":{\"type\":\"notice\"}}";
        let mut stream = Stream::default();
        stream.push(&JournalEvent { seq: 3, type_name: "notice", bytes });
        assert_eq!(
            stream.finish(),
            "id: 3\nevent: notice\ndata: {\"seq\":3,  \"event\":{\"type\":\"notice\"}}\n\n"
        );
    }
}
