//! The formats of a batch of events: `{"events":[…]}` for JSON-RPC notifications, or server-sent events. Pure;
//! `subscription` decides which events.

use std::io::Write;
use std::sync::Arc;

use hyper::body::Bytes;
use serde_json::value::RawValue;

use super::batch_cache::{BatchCache, CachedBatches};
use crate::journal::JournalEvent;

const JSON_START: &[u8] = br#"{"events":["#;

/// Collects events into one batch.
pub(super) trait BatchFormat: Default {
    /// The finished batch; cheap to clone.
    type Content: Clone;

    /// The cached batches of this format.
    fn cached(cache: &BatchCache) -> &CachedBatches<Self::Content>;

    /// Appends an event.
    fn push(&mut self, event: &JournalEvent<'_>);

    /// Ends the batch.
    fn finish(self) -> Self::Content;
}

/// `{"events":[…]}`.
#[derive(Debug)]
pub(super) struct JsonBatch(Box<RawValue>);

impl JsonBatch {
    /// A batch without events.
    pub(super) fn empty() -> Option<Arc<Self>> {
        JsonFormat { text: JSON_START.to_vec(), ends: Vec::new() }.finish()
    }

    /// The whole batch as JSON.
    pub(super) fn json(&self) -> &RawValue {
        &self.0
    }
}

/// Builds a [`JsonBatch`]; keeps the bytes of each event as the adapter wrote them.
#[derive(Debug, Default)]
pub(super) struct JsonFormat {
    text: Vec<u8>,
    /// The end offset of each event in `text`.
    ends: Vec<usize>,
}

impl BatchFormat for JsonFormat {
    /// `None` when no event is valid JSON.
    type Content = Option<Arc<JsonBatch>>;

    fn cached(cache: &BatchCache) -> &CachedBatches<Self::Content> {
        &cache.json
    }

    fn push(&mut self, event: &JournalEvent<'_>) {
        self.push_bytes(event.bytes);
    }

    /// The journal checks only the start of an event, so an event can be invalid further inside: it is left out.
    fn finish(mut self) -> Self::Content {
        self.text.extend_from_slice(b"]}");
        if let Ok(batch) = serde_json::from_slice::<&RawValue>(&self.text) {
            return Some(Arc::new(JsonBatch(batch.to_owned())));
        }
        let mut valid = Self::default();
        let mut start = JSON_START.len();
        for &end in &self.ends {
            let event = &self.text[start..end];
            if serde_json::from_slice::<&RawValue>(event).is_ok() {
                valid.push_bytes(event);
            }
            start = end + 1;
        }
        let invalid = self.ends.len() - valid.ends.len();
        tracing::warn!(invalid, "events that are not valid JSON were not sent");
        if valid.ends.is_empty() { None } else { valid.finish() }
    }
}

impl JsonFormat {
    fn push_bytes(&mut self, event: &[u8]) {
        self.text.extend_from_slice(if self.ends.is_empty() { JSON_START } else { b"," });
        self.text.extend_from_slice(event);
        self.ends.push(self.text.len());
    }
}

/// Builds server-sent events.
#[derive(Debug, Default)]
pub(super) struct SseFormat {
    text: Vec<u8>,
}

impl BatchFormat for SseFormat {
    type Content = Bytes;

    fn cached(cache: &BatchCache) -> &CachedBatches<Bytes> {
        &cache.sse
    }

    fn push(&mut self, event: &JournalEvent<'_>) {
        let text = &mut self.text;
        write!(text, "id: {}\nevent: {}\ndata: ", event.seq, event.type_name)
            .expect("writing to memory cannot fail");
        let start = text.len();
        text.extend_from_slice(event.bytes);
        // A carriage return is whitespace to JSON but ends a line of server-sent events.
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

    fn batch(events: &[&str]) -> Option<String> {
        let mut format = JsonFormat::default();
        for event in events {
            format.push_bytes(event.as_bytes());
        }
        format.finish().map(|batch| batch.json().get().to_owned())
    }

    #[test]
    fn json_batch_keeps_bytes_of_events() {
        let text = batch(&["{\"a\": 1}", "{\"b\":\"\u{fc}\"}"]);
        assert_eq!(text.as_deref(), Some("{\"events\":[{\"a\": 1},{\"b\":\"\u{fc}\"}]}"));
    }

    #[test]
    fn json_batch_leaves_out_invalid_events() {
        let text = batch(&["{\"a\":1}", "{\"b\":}", "{\"c\":3}"]);
        assert_eq!(text.as_deref(), Some(r#"{"events":[{"a":1},{"c":3}]}"#));
        assert_eq!(batch(&["{\"b\":}"]), None);
        let empty = JsonBatch::empty().expect("a batch");
        assert_eq!(empty.json().get(), r#"{"events":[]}"#);
    }

    #[test]
    fn sse_event_has_three_lines() {
        let bytes = b"{\"seq\":3,\r \"event\":{\"type\":\"notice\"}}";
        let mut format = SseFormat::default();
        format.push(&JournalEvent { seq: 3, type_name: "notice", bytes });
        assert_eq!(
            format.finish(),
            "id: 3\nevent: notice\ndata: {\"seq\":3,  \"event\":{\"type\":\"notice\"}}\n\n"
        );
    }
}
