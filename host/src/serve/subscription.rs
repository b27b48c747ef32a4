//! The events of a run for one client, in batches of what is available. Each client reads the journal at its own
//! pace, so a slow one costs one buffer; clients at the same position share batches (`batch_cache`).

use std::sync::Arc;

use hyper::body::Bytes;
use od_protocol::api::{ATTACH_RUN, AttachRunParams, TOO_MANY_CALLS};
use od_protocol::{ErrorKind, ErrorObject};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::batch_cache::{Batch, BatchCache, BatchCaches};
use super::batch_format::{BatchFormat, JsonBatch, JsonFormat, SseFormat};
use super::refusal::error;
use crate::error::HostError;
use crate::journal::EventReader;
use crate::service::{Service, params};
use crate::telemetry::metrics::GaugeGuard;

/// A batch ends with the event that crosses a multiple of this offset in the journal, or with the last available
/// event. So readers that started at different events arrive at the same batches.
const BATCH_STRIDE_BYTES: u64 = 64 * 1024;

/// Opens subscriptions to runs; all of them share batches.
#[derive(Debug, Clone)]
pub(super) struct RunSubscriptions {
    service: Service,
    caches: Arc<BatchCaches>,
}

impl RunSubscriptions {
    pub(super) fn new(service: Service) -> Self {
        Self { service, caches: Arc::default() }
    }

    pub(super) fn service(&self) -> &Service {
        &self.service
    }

    /// Opens the journal of a run.
    pub(super) fn open(&self, params: &AttachRunParams) -> Result<RunSubscription, ErrorObject> {
        let reader = self.service.events(&params.run_id, params.from);
        let reader = reader.map_err(HostError::into_error_object)?;
        let cache = self.caches.of_run(&reader);
        let gauge = self.service.host().telemetry().metrics().subscriber();
        Ok(RunSubscription { reader, cache, has_sent: false, lags: false, gauge })
    }
}

/// One client's position in one run.
#[derive(Debug)]
pub(super) struct RunSubscription {
    reader: EventReader,
    cache: Arc<BatchCache>,
    /// The client has received a batch, so it needs no empty one after the last event.
    has_sent: bool,
    /// The last batch was full: more events are available, and other tasks must get their turn first.
    lags: bool,
    #[expect(dead_code, reason = "counted as a subscriber until it is dropped")]
    gauge: GaugeGuard,
}

impl RunSubscription {
    /// Waits for the next events as `{"events":[…]}`; `None` after `done`. A client that starts after the last
    /// event gets one empty batch. Cancel-safe.
    pub(super) async fn next_json(&mut self) -> Result<Option<Arc<JsonBatch>>, HostError> {
        loop {
            let Some(batch) = self.next::<JsonFormat>().await? else {
                let is_first = !std::mem::replace(&mut self.has_sent, true);
                return Ok(if is_first { JsonBatch::empty() } else { None });
            };
            if batch.is_some() {
                self.has_sent = true;
                return Ok(batch);
            }
        }
    }

    /// Waits for the next events as server-sent events; `None` after `done`. Cancel-safe.
    pub(super) async fn next_sse(&mut self) -> Result<Option<Bytes>, HostError> {
        self.next::<SseFormat>().await
    }

    async fn next<F: BatchFormat>(&mut self) -> Result<Option<F::Content>, HostError> {
        if std::mem::take(&mut self.lags) {
            // A client that reads as fast as the host writes would otherwise occupy this thread until `done`.
            tokio::task::yield_now().await;
        }
        loop {
            if let Some(content) = self.take_cached::<F>() {
                return Ok(Some(content));
            }
            if let Some(content) = self.read::<F>()? {
                return Ok(Some(content));
            }
            if self.reader.has_ended() {
                return Ok(None);
            }
            self.reader.wait().await?;
        }
    }

    /// The batch that another client has read at the same offset.
    fn take_cached<F: BatchFormat>(&mut self) -> Option<F::Content> {
        let start = self.reader.shared_position()?.offset;
        let Batch { end, is_full, content, .. } = F::cached(&self.cache).find(start)?;
        self.reader.skip_to(end).then(|| {
            self.lags = is_full;
            content
        })
    }

    /// The next batch from the journal; `None` when no event is available yet.
    fn read<F: BatchFormat>(&mut self) -> Result<Option<F::Content>, HostError> {
        let start = self.reader.shared_position();
        let mut batch = None;
        let mut is_full = false;
        while !is_full && let Some(event) = self.reader.next_ready()? {
            batch.get_or_insert_with(F::default).push(&event);
            let length = event.bytes.len() as u64 + 1;
            let end = self.reader.offset();
            is_full = end.saturating_sub(length) / BATCH_STRIDE_BYTES != end / BATCH_STRIDE_BYTES;
        }
        let Some(content) = batch.map(F::finish) else { return Ok(None) };
        self.lags = is_full;
        if let (Some(start), Some(end)) = (start, self.reader.shared_position()) {
            self.share::<F>(Batch { start: start.offset, end, is_full, content: content.clone() });
        }
        Ok(Some(content))
    }

    /// Caches a batch when the run has other subscribers.
    fn share<F: BatchFormat>(&self, batch: Batch<F::Content>) {
        let cached = F::cached(&self.cache);
        match Arc::strong_count(&self.cache) {
            1 => cached.clear(),
            clients => cached.insert(batch, clients),
        }
    }
}

/// Takes one of the slots for runs that one client may attach to, or wait for.
pub(super) fn take_slot(slots: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, ErrorObject> {
    Arc::clone(slots).try_acquire_owned().map_err(|_| {
        let hint = "detach from a run, or raise maxSubscriptions in [serve] of settings.toml";
        let kind = ErrorKind::from_wire(TOO_MANY_CALLS);
        error(kind, "this client has reached its maximum of subscriptions", hint)
    })
}

/// Parses the parameters of `runs/attach`.
pub(super) fn parse_params(params: Option<&str>) -> Result<AttachRunParams, ErrorObject> {
    params::parse(ATTACH_RUN.subscribe, ATTACH_RUN.params, params)
}

#[cfg(test)]
mod tests;
