//! Events of a run for one client: as many as are there at once, never waiting for more. Each client reads
//! the journal at its own pace, so a slow one costs a buffer and nothing else; clients at the same pace share the
//! work (`shelf`).

use std::sync::Arc;

use hyper::body::Bytes;
use od_protocol::api::{ATTACH_RUNS, AttachRunsParams, TOO_MANY_CALLS};
use od_protocol::{ErrorKind, ErrorObject};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::refusal::error;
use super::shelf::{Batch, Shelf, Shelves};
use super::wording::{Item, Items, Stream, Wording};
use crate::error::HostError;
use crate::journal::EventReader;
use crate::service::{Service, params};
use crate::telemetry::metrics::Present;

/// A batch ends with the event that crosses a multiple of this in the journal, or when nothing more is there.
/// So readers that began at different places come to the same ones.
const STRIDE: u64 = 64 * 1024;

/// Where clients begin to watch runs.
#[derive(Debug, Clone)]
pub(super) struct Attachments {
    service: Service,
    shelves: Arc<Shelves>,
}

impl Attachments {
    pub(super) fn new(service: Service) -> Self {
        Self { service, shelves: Arc::default() }
    }

    pub(super) fn service(&self) -> &Service {
        &self.service
    }

    /// Finds the run.
    pub(super) fn open(&self, params: &AttachRunsParams) -> Result<Attachment, ErrorObject> {
        let reader = self.service.events(&params.run_id, params.from);
        let reader = reader.map_err(HostError::into_error_object)?;
        let shelf = self.shelves.of(&reader);
        let present = self.service.host().telemetry().metrics().subscriber();
        Ok(Attachment { reader, shelf, has_spoken: false, lags: false, present })
    }
}

/// See the module.
#[derive(Debug)]
pub(super) struct Attachment {
    reader: EventReader,
    shelf: Arc<Shelf>,
    /// Something was sent, so the client knows or will know from `done` when nothing more comes.
    has_spoken: bool,
    /// The last batch was a full one: more is there, and others want to be served too.
    lags: bool,
    #[expect(dead_code, reason = "counted as long as it lives")]
    present: Present,
}

impl Attachment {
    /// The next events as `{"events":[…]}`; `None` after `done`. Whoever asks for events after the last one is told
    /// once that there are none. May be dropped while it waits.
    pub(super) async fn next_item(&mut self) -> Result<Option<Arc<Item>>, HostError> {
        loop {
            let Some(item) = self.next::<Items>().await? else {
                let is_news = !std::mem::replace(&mut self.has_spoken, true);
                return Ok(if is_news { Item::empty() } else { None });
            };
            if item.is_some() {
                self.has_spoken = true;
                return Ok(item);
            }
        }
    }

    /// The next events as server-sent events; `None` after `done`. May be dropped while it waits.
    pub(super) async fn next_of_stream(&mut self) -> Result<Option<Bytes>, HostError> {
        self.next::<Stream>().await
    }

    /// Waits for events and takes all that are there, up to the end of a batch.
    async fn next<W: Wording>(&mut self) -> Result<Option<W::Content>, HostError> {
        if std::mem::take(&mut self.lags) {
            // A client that reads as fast as we write would otherwise keep this thread to its last event.
            tokio::task::yield_now().await;
        }
        loop {
            if let Some(content) = self.take_from_shelf::<W>() {
                return Ok(Some(content));
            }
            if let Some(content) = self.read::<W>()? {
                return Ok(Some(content));
            }
            if self.reader.has_ended() {
                return Ok(None);
            }
            self.reader.wait().await?;
        }
    }

    /// What another client has got at this very place.
    fn take_from_shelf<W: Wording>(&mut self) -> Option<W::Content> {
        let start = self.reader.place()?.offset;
        let Batch { end, is_full, content, .. } = W::row(&self.shelf).at(start)?;
        self.reader.go_to(end).then(|| {
            self.lags = is_full;
            content
        })
    }

    /// The next batch from the journal; `None` when nothing is there right now.
    fn read<W: Wording>(&mut self) -> Result<Option<W::Content>, HostError> {
        let start = self.reader.place();
        let mut words = None;
        let mut is_full = false;
        while !is_full && let Some(event) = self.reader.next_ready()? {
            words.get_or_insert_with(W::default).push(&event);
            let length = event.bytes.len() as u64 + 1;
            let end = self.reader.offset();
            is_full = end.saturating_sub(length) / STRIDE != end / STRIDE;
        }
        let Some(content) = words.map(W::finish) else { return Ok(None) };
        self.lags = is_full;
        if let (Some(start), Some(end)) = (start, self.reader.place()) {
            self.share::<W>(Batch { start: start.offset, end, is_full, content: content.clone() });
        }
        Ok(Some(content))
    }

    /// Keeps a batch for the others, when there are any.
    fn share<W: Wording>(&self, batch: Batch<W::Content>) {
        let row = W::row(&self.shelf);
        match Arc::strong_count(&self.shelf) {
            1 => row.clear(),
            clients => row.put(batch, clients),
        }
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
    params::read(ATTACH_RUNS.subscribe, ATTACH_RUNS.params, params)
}

#[cfg(test)]
mod tests;
