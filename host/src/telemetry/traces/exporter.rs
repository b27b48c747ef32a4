//! Sends the spans of finished runs: one thread reads the journals, builds the spans and exports them by OTLP over
//! HTTP. A run never waits for it.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use opentelemetry_otlp::{Protocol, RetryPolicy, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::trace::{SpanData, SpanExporter as _};

use crate::error::HostError;
use crate::journal::folder::RunFolder;
use crate::journal::{EventReader, RunRecord, Source};
use crate::usage;

use super::destination::{Content, Destination};
use super::http_client::HttpClient;
use super::span_draft;
use super::spans::SpanBuilder;

/// Runs that wait to be sent; further runs are not traced.
const MAX_WAITING_RUNS: usize = 256;
/// Spans in one request.
const MAX_BATCH_SPANS: usize = 512;
/// Time limit of one request, retries included.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(10);

/// Hands finished runs to the exporter thread. Clones share the thread.
#[derive(Debug, Clone)]
pub(crate) struct Traces {
    jobs: SyncSender<FinishedRun>,
    waiting: Arc<Waiting>,
}

#[derive(Debug)]
struct FinishedRun {
    folder: RunFolder,
    record: RunRecord,
}

/// The number of runs that are not sent yet.
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
    pub(crate) fn start(destination: Destination) -> Result<Self, HostError> {
        let exporter = Exporter::new(destination)?;
        let (jobs, finished) = sync_channel(MAX_WAITING_RUNS);
        let waiting = Arc::new(Waiting::default());
        let done = Arc::clone(&waiting);
        std::thread::Builder::new()
            .name("od-traces".to_owned())
            .spawn(move || exporter.run(&finished, &done))
            .map_err(|error| HostError::storage("cannot start the exporter thread", &error))?;
        Ok(Self { jobs, waiting })
    }

    /// Queues a run. Never waits: a run that does not fit into the queue is not traced.
    pub(crate) fn send(&self, folder: &RunFolder, record: &RunRecord) {
        let job = FinishedRun { folder: folder.clone(), record: record.clone() };
        self.waiting.change(|count| count + 1);
        if let Err(error) = self.jobs.try_send(job) {
            self.waiting.change(|count| count - 1);
            let why = match error {
                TrySendError::Full(_) => "too many runs wait to be sent",
                TrySendError::Disconnected(_) => "the exporter thread has ended",
            };
            tracing::warn!(run = record.run_id, why, "a run is not traced");
        }
    }

    /// Waits until all runs are sent, at most this long. Blocks.
    pub(crate) fn flush(&self, limit: Duration) {
        let count = self.waiting.count.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = self.waiting.changed.wait_timeout_while(count, limit, |count| *count > 0);
        let (count, _) = wait.unwrap_or_else(PoisonError::into_inner);
        if *count > 0 {
            tracing::warn!(runs = *count, "the host exits before all runs are traced");
        }
    }
}

/// The state of the exporter thread.
struct Exporter {
    exporter: SpanExporter,
    content: Content,
    runtime: tokio::runtime::Runtime,
}

impl Exporter {
    fn new(destination: Destination) -> Result<Self, HostError> {
        let failed = |error: std::io::Error| HostError::storage("cannot export traces", &error);
        let client = HttpClient::new(destination.certificate.as_deref())?;
        let mut exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_protocol(Protocol::HttpBinary)
            .with_timeout(EXPORT_TIMEOUT)
            .with_retry_policy(RetryPolicy::recommended())
            .with_endpoint(&destination.endpoint)
            .build()
            .map_err(|error| {
                HostError::usage(format!("cannot export traces with these settings: {error}"))
                    .with_hint(
                        "check the OTEL_EXPORTER_OTLP_… variables and [telemetry] in settings.toml",
                    )
            })?;
        exporter.set_resource(&span_draft::resource());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(failed)?;
        Ok(Self { exporter, content: destination.content, runtime })
    }

    /// Exports runs until the last [`Traces`] is dropped.
    fn run(self, finished: &Receiver<FinishedRun>, waiting: &Waiting) {
        while let Ok(run) = finished.recv() {
            match spans(&run, self.content) {
                Ok(spans) => self.send(spans),
                // The run may have been deleted since it finished.
                Err(error) => {
                    tracing::debug!(run = run.record.run_id, %error, "a run is not traced");
                }
            }
            waiting.change(|count| count - 1);
        }
    }

    /// Sends the spans in batches; stops at the first failure, since the next batch would fail too.
    fn send(&self, spans: Vec<SpanData>) {
        let mut spans = spans.into_iter().peekable();
        while spans.peek().is_some() {
            let batch: Vec<SpanData> = spans.by_ref().take(MAX_BATCH_SPANS).collect();
            // Without a time limit a collector that hangs would block all later runs.
            let sending = async {
                let export = self.exporter.export(batch);
                tokio::time::timeout(EXPORT_TIMEOUT, export).await
            };
            match self.runtime.block_on(sending) {
                Ok(Ok(())) => {}
                Ok(Err(error)) => return tracing::debug!(%error, "spans were not sent"),
                Err(_) => return tracing::debug!("spans were not sent in time"),
            }
        }
    }
}

/// Builds the spans of a run from its journal.
fn spans(run: &FinishedRun, content: Content) -> Result<Vec<SpanData>, HostError> {
    let Some(mut builder) = SpanBuilder::new(&run.record, content) else { return Ok(Vec::new()) };
    let mut reader = EventReader::open(run.folder.clone(), 0, Source::Finished)?;
    while let Some(event) = reader.next_ready()? {
        if !builder.wants(event.type_name) {
            continue;
        }
        match event.parse() {
            Ok(params) => builder.push(params.ts, params.event),
            Err(error) => tracing::debug!(seq = event.seq, %error, "an event is not traced"),
        }
    }
    Ok(builder.finish(&usage::prior_usage(run.folder.home(), &run.record)))
}
