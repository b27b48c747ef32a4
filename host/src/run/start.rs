//! How a run starts: checks, folder, journal, record, then its task.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use od_protocol::Meta;
use tokio::sync::{mpsc, watch};

use super::attempts::Attempts;
use super::handle::{RunHandle, Shared};
use super::recover;
use super::registry::RunRegistry;
use super::request::{self, RunRequest};
use super::stream::StreamState;
use super::task::RunTask;
use crate::clock::now_ms;
use crate::context::HostContext;
use crate::discover::Adapter;
use crate::error::HostError;
use crate::journal::folder::RunFolder;
use crate::journal::writer::JournalWriter;
use crate::journal::{RunRecord, RunStatus, store};
use crate::queue::{RunQueue, Ticket};

/// Starts a run at once. A run that is refused before its first event leaves no trace.
pub(crate) async fn start(runs: &RunRegistry, request: RunRequest) -> Result<RunHandle, HostError> {
    let mut task = prepare(runs, request, RunStatus::Running).await?;
    match task.launch().await {
        Err(error) if !task.may_recover(&error) => {
            task.discard();
            Err(error)
        }
        first => Ok(task.spawn(|task| task.supervise(first))),
    }
}

/// Starts a run as soon as the queue admits it. Everything that goes wrong later is in the run's events.
pub(crate) async fn start_queued(
    runs: &RunRegistry,
    mut request: RunRequest,
    queue: &RunQueue,
    queue_limit: Option<Duration>,
) -> Result<RunHandle, HostError> {
    let run_id = &mut request.params.run_id;
    if run_id.is_empty() {
        *run_id = store::new_run_id();
    }
    let client = request.origin.client.clone().unwrap_or_default();
    let slot = queue.enter(Ticket::new(run_id.clone(), request.agent.clone(), client))?;
    let mut task = prepare(runs, request, RunStatus::Queued).await?;
    task.slot = Some(slot);
    task.queue_limit = queue_limit;
    Ok(task.spawn(RunTask::run_queued))
}

/// Creates a run that has no agent yet; clients can already read and cancel it.
async fn prepare(
    runs: &RunRegistry,
    request: RunRequest,
    status: RunStatus,
) -> Result<RunTask, HostError> {
    let request = request::check(request)?;
    let adapter = runs.context().adapter(&request.agent).await?;
    remove_old_runs(runs.context());
    let folder = RunFolder::create(runs.context().home(), &request.params.run_id)?;
    create_task(runs, request, adapter, &folder, status).inspect_err(|_| folder.discard())
}

fn create_task(
    runs: &RunRegistry,
    request: RunRequest,
    adapter: Adapter,
    folder: &RunFolder,
    status: RunStatus,
) -> Result<RunTask, HostError> {
    // The journal exists and is owned before the record announces the run.
    let journal = JournalWriter::create(folder, &request.params.run_id)?;
    let record = record(runs.context(), &adapter, &request, status);
    folder.write_record(&record)?;
    let (stop_sender, stop) = mpsc::unbounded_channel();
    let (usage, recorded_usage) = watch::channel(None);
    let (ended, end) = watch::channel(None);
    let shared = Shared {
        run_id: record.run_id.clone(),
        folder: folder.clone(),
        record: Mutex::new(record),
        caller: Mutex::new(None),
        progress: journal.progress(),
        stop: stop_sender,
        usage: recorded_usage,
        end,
    };
    let run = RunHandle { shared: Arc::new(shared) };
    let control = runs.add(&run);
    Ok(RunTask {
        runs: runs.clone(),
        run,
        attempts: Attempts::new(&request),
        first_agent: request.agent.clone(),
        request,
        adapter,
        journal: Arc::new(Mutex::new(journal)),
        stop,
        usage,
        ended,
        slot: None,
        queue_limit: None,
        control,
        waited: Duration::ZERO,
        deadline: None,
        next_start: None,
        state: StreamState::default(),
    })
}

fn record(
    context: &HostContext,
    adapter: &Adapter,
    request: &RunRequest,
    status: RunStatus,
) -> RunRecord {
    let RunRequest { params, origin, .. } = request;
    RunRecord {
        run_id: params.run_id.clone(),
        agent: adapter.id.clone(),
        first_agent: None,
        adapter_path: adapter.path.clone(),
        adapter_version: adapter.manifest.version.clone(),
        cwd: params.cwd.clone().into(),
        prompt_preview: request::preview(&params.prompt.text),
        model: params.model.clone(),
        started_at: now_ms(),
        ended_at: None,
        host: context.owner(),
        status,
        error_kind: None,
        session_id: None,
        lacks_end: false,
        attempts: u32::from(status == RunStatus::Running),
        client: origin.client.clone(),
        key: origin.key.clone(),
        task_hash: origin.task_hash.clone(),
        traceparent: traceparent(&params.meta),
    }
}

/// The span of the client, when the request has one.
fn traceparent(meta: &Option<Meta>) -> Option<String> {
    meta.as_ref()?.get("traceparent")?.as_str().map(str::to_owned)
}

/// Removes old runs in the background, so that the new run does not wait for it.
fn remove_old_runs(context: &HostContext) {
    let (home, retention) = (context.home().clone(), context.settings().retention.clone());
    drop(tokio::task::spawn_blocking(move || {
        if let Err(error) = store::apply_retention(&home, &retention, recover::settle) {
            tracing::warn!(%error, "cannot remove old runs");
        }
    }));
}
