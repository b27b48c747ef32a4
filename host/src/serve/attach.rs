//! Events of a run for one client: as many as are there at once, never waiting for more. Each client reads
//! the journal at its own pace, so a slow one costs a buffer and nothing else.

use std::sync::Arc;

use od_protocol::api::{ATTACH_RUNS, AttachRunsParams, TOO_MANY_CALLS};
use od_protocol::{ErrorKind, ErrorObject};
use serde_json::value::RawValue;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::refusal::error;
use crate::error::HostError;
use crate::journal::{EventReader, JournalEvent};
use crate::service::Service;
use crate::telemetry::metrics::Present;

/// A batch is sent when it is this long or nothing more is there; it may be longer by one event.
const BATCH_BYTES: usize = 64 * 1024;
const OPENING: &[u8] = br#"{"events":["#;

/// See the module.
#[derive(Debug)]
pub(super) struct Attachment {
    reader: EventReader,
    /// Something was sent, so the client knows or will know from `done` when nothing more comes.
    has_spoken: bool,
    /// The last batch was a full one: more is there, and others want to be served too.
    lags: bool,
    #[expect(dead_code, reason = "counted as long as it lives")]
    present: Present,
}

impl Attachment {
    /// Finds the run.
    pub(super) fn open(service: &Service, params: &AttachRunsParams) -> Result<Self, ErrorObject> {
        let reader = service.events(&params.run_id, params.from);
        let reader = reader.map_err(HostError::into_error_object)?;
        let present = service.host().telemetry().metrics().subscriber();
        Ok(Self { reader, has_spoken: false, lags: false, present })
    }

    /// Waits for an event and writes all that are there; false after `done`. `write` says how long the batch
    /// has become. May be dropped while it waits.
    pub(super) async fn next(
        &mut self,
        mut write: impl FnMut(&JournalEvent<'_>) -> usize,
    ) -> Result<bool, HostError> {
        if std::mem::take(&mut self.lags) {
            // A client that reads as fast as we write would otherwise keep this thread to its last event.
            tokio::task::yield_now().await;
        }
        let mut length = match self.reader.next().await? {
            Some(event) => write(&event),
            None => return Ok(false),
        };
        while length < BATCH_BYTES
            && let Some(event) = self.reader.next_ready()?
        {
            length = write(&event);
        }
        self.lags = length >= BATCH_BYTES;
        Ok(true)
    }

    /// The same as `{"events":[…]}`, the bytes of each event as the adapter wrote them. Whoever asks for events after
    /// the last one is told once that there are none.
    pub(super) async fn next_item(&mut self) -> Result<Option<Box<RawValue>>, HostError> {
        loop {
            let mut batch = Batch::default();
            if !self.next(|event| batch.push(event.bytes)).await? {
                let is_news = !std::mem::replace(&mut self.has_spoken, true);
                return Ok(if is_news { Batch::empty() } else { None });
            }
            if let Some(item) = batch.into_item() {
                self.has_spoken = true;
                return Ok(Some(item));
            }
        }
    }
}

/// `{"events":[…,` while it grows.
#[derive(Debug, Default)]
struct Batch {
    text: Vec<u8>,
    /// Where each event ends.
    ends: Vec<usize>,
}

impl Batch {
    /// Without any event.
    fn empty() -> Option<Box<RawValue>> {
        Self { text: OPENING.to_vec(), ends: Vec::new() }.into_item()
    }

    fn push(&mut self, event: &[u8]) -> usize {
        self.text.extend_from_slice(if self.ends.is_empty() { OPENING } else { b"," });
        self.text.extend_from_slice(event);
        self.ends.push(self.text.len());
        self.text.len()
    }

    /// The journal looks at an event's beginning only, so one with a broken inside may be among them: it is
    /// left out.
    fn into_item(mut self) -> Option<Box<RawValue>> {
        self.text.extend_from_slice(b"]}");
        if let Ok(item) = serde_json::from_slice::<&RawValue>(&self.text) {
            return Some(item.to_owned());
        }
        let mut whole = Self::default();
        let mut start = OPENING.len();
        for &end in &self.ends {
            let event = &self.text[start..end];
            if serde_json::from_slice::<&RawValue>(event).is_ok() {
                whole.push(event);
            }
            start = end + 1;
        }
        let broken = self.ends.len() - whole.ends.len();
        tracing::warn!(broken, "events that are no JSON are not sent");
        if whole.ends.is_empty() { None } else { whole.into_item() }
    }
}

/// A place among the runs that one client may watch, or wait for; held as long as it does.
pub(super) fn take_place(places: Arc<Semaphore>) -> Result<OwnedSemaphorePermit, ErrorObject> {
    places.try_acquire_owned().map_err(|_| {
        let hint = "give some up, or raise maxSubscriptions in [serve] of settings.toml";
        let kind = ErrorKind::from_wire(TOO_MANY_CALLS);
        error(kind, "as many runs are watched or waited for as one client may", hint)
    })
}

/// Reads the parameters of `runs/attach`.
pub(super) fn read_params(params: Option<&str>) -> Result<AttachRunsParams, ErrorObject> {
    serde_json::from_str(params.unwrap_or("{}")).map_err(|failure| {
        let text = format!("the parameters of {} do not fit: {failure}", ATTACH_RUNS.subscribe);
        error(ErrorKind::InvalidParams, text, "schemas/api/v1/openrpc.json describes them")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(events: &[&str]) -> Option<String> {
        let mut batch = Batch::default();
        for event in events {
            batch.push(event.as_bytes());
        }
        batch.into_item().map(|item| item.get().to_owned())
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
        assert_eq!(
            Batch::empty().map(|item| item.get().to_owned()).as_deref(),
            Some(r#"{"events":[]}"#)
        );
    }
}
