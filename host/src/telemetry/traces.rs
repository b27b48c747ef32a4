//! Traces for OpenTelemetry: each run that is over becomes a tree of spans in the words of the GenAI conventions, sent
//! by OTLP over HTTP. Off unless an endpoint is named.
//!
//! Reading order for a newcomer: this file (one thread that reads journals and sends), `destination` (where to, and
//! whether at all), `fold` (from events to spans, pure), `client` (HTTP), `trust` (whose TLS it believes). A run never waits for any of it.

mod client;
mod context;
mod destination;
mod fold;
mod provider;
mod span;
mod trust;
mod words;

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use opentelemetry_otlp::{Protocol, RetryPolicy, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::trace::{SpanData, SpanExporter as _};

use crate::error::HostError;
use crate::journal::folder::RunFolder;
use crate::journal::{EventReader, RunRecord, Source};
use crate::usage;
use client::Client;
pub(crate) use destination::Destination;
use fold::{Content, Fold};

/// Runs that wait to be sent; more are left out and counted.
const MOST_WAITING: usize = 256;
/// Spans in one message.
const BATCH: usize = 512;
/// How long one message may take, new tries included.
const SEND_LIMIT: Duration = Duration::from_secs(10);

/// Sends runs that are over. Clones share the thread.
#[derive(Debug, Clone)]
pub(super) struct Traces {
    jobs: SyncSender<FinishedRun>,
    waiting: Arc<Waiting>,
}

/// A run that is over.
#[derive(Debug)]
struct FinishedRun {
    folder: RunFolder,
    record: RunRecord,
}

/// How many runs are not sent yet.
#[derive(Debug, Default)]
struct Waiting {
    count: Mutex<usize>,
    changed: Condvar,
}

impl Waiting {
    fn change(&self, change: impl FnOnce(usize) -> usize) {
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        *count = change(*count);
        self.changed.notify_all();
    }
}

impl Traces {
    /// Starts the thread.
    ///
    /// # Errors
    /// When the endpoint cannot be used.
    pub(super) fn start(destination: Destination) -> Result<Self, HostError> {
        let sender = Sender::new(destination)?;
        let (jobs, finished) = sync_channel(MOST_WAITING);
        let waiting = Arc::new(Waiting::default());
        let done = Arc::clone(&waiting);
        std::thread::Builder::new()
            .name("od-traces".to_owned())
            .spawn(move || sender.run(&finished, &done))
            .map_err(|error| HostError::storage("cannot start the thread for traces", &error))?;
        Ok(Self { jobs, waiting })
    }

    /// Hands a run over. Never waits: what does not fit is left out.
    pub(super) fn send(&self, folder: &RunFolder, record: &RunRecord) {
        let job = FinishedRun { folder: folder.clone(), record: record.clone() };
        self.waiting.change(|count| count + 1);
        if let Err(error) = self.jobs.try_send(job) {
            self.waiting.change(|count| count - 1);
            let why = match error {
                TrySendError::Full(_) => "too many wait already",
                TrySendError::Disconnected(_) => "the thread that sends them is gone",
            };
            tracing::warn!(run = record.run_id, why, "a run is not traced");
        }
    }

    /// Waits until all runs are sent, but not longer than this.
    pub(super) fn flush(&self, limit: Duration) {
        let count = self.waiting.count.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = self.waiting.changed.wait_timeout_while(count, limit, |count| *count > 0);
        let (count, _) = wait.unwrap_or_else(PoisonError::into_inner);
        if *count > 0 {
            tracing::warn!(runs = *count, "the host ends before all runs are traced");
        }
    }
}

/// The thread's own side.
struct Sender {
    exporter: SpanExporter,
    content: Content,
    runtime: tokio::runtime::Runtime,
}

impl Sender {
    fn new(destination: Destination) -> Result<Self, HostError> {
        let failed = |error: std::io::Error| HostError::storage("cannot send traces", &error);
        let client = Client::new(destination.certificate.as_deref())?;
        let mut exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_protocol(Protocol::HttpBinary)
            .with_timeout(SEND_LIMIT)
            .with_retry_policy(RetryPolicy::recommended())
            .with_endpoint(&destination.endpoint)
            .build()
            .map_err(|error| {
                HostError::usage(format!("traces cannot be sent as they are set up: {error}"))
                    .with_hint(
                        "check the OTEL_EXPORTER_OTLP_… variables and [telemetry] in settings.toml",
                    )
            })?;
        exporter.set_resource(&span::resource());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(failed)?;
        Ok(Self { exporter, content: destination.content, runtime })
    }

    /// Reads and sends until nobody can hand a run over any more.
    fn run(self, finished: &Receiver<FinishedRun>, waiting: &Waiting) {
        while let Ok(run) = finished.recv() {
            match spans(&run, self.content) {
                Ok(spans) => self.send(spans),
                // It may have been deleted meanwhile.
                Err(error) => {
                    tracing::debug!(run = run.record.run_id, %error, "a run is not traced");
                }
            }
            waiting.change(|count| count - 1);
        }
    }

    /// What follows a message that does not arrive would not arrive either.
    fn send(&self, spans: Vec<SpanData>) {
        let mut spans = spans.into_iter().peekable();
        while spans.peek().is_some() {
            let batch: Vec<SpanData> = spans.by_ref().take(BATCH).collect();
            // A client that waits for ever would keep the ones behind it.
            let sending = async {
                let export = self.exporter.export(batch);
                tokio::time::timeout(SEND_LIMIT, export).await
            };
            match self.runtime.block_on(sending) {
                Ok(Ok(())) => {}
                Ok(Err(error)) => return tracing::debug!(%error, "spans were not sent"),
                Err(_) => return tracing::debug!("spans were not sent in time"),
            }
        }
    }
}

/// Folds the journal of a run.
fn spans(run: &FinishedRun, content: Content) -> Result<Vec<SpanData>, HostError> {
    let Some(mut fold) = Fold::begin(&run.record, content) else { return Ok(Vec::new()) };
    let mut reader = EventReader::open(run.folder.clone(), 0, Source::Nobody)?;
    while let Some(event) = reader.next_ready()? {
        if !fold.wants(event.type_name) {
            continue;
        }
        match event.parse() {
            Ok(params) => fold.take(params.ts, params.event),
            Err(error) => tracing::debug!(seq = event.seq, %error, "an event is not traced"),
        }
    }
    Ok(fold.finish(&usage::past(run.folder.home(), &run.record)))
}
