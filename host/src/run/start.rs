//! The beginning of a run: the checks, the folder, the journal, the record; then its agent.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use od_protocol::Meta;
use tokio::sync::{mpsc, watch};

use super::attempts::Attempts;
use super::conduct::{self, Conductor};
use super::handle::{RunHandle, Shared};
use super::now_ms;
use super::request::{self, RunRequest};
use super::stream::StreamState;
use crate::control;
use crate::discover::Adapter;
use crate::error::HostError;
use crate::host::Host;
use crate::journal::folder::RunFolder;
use crate::journal::sink::Sink;
use crate::journal::{RunRecord, RunStatus, store};

/// Starts a run at once. What is refused before the agent has said a word leaves nothing behind.
pub(crate) async fn start(host: &Host, request: RunRequest) -> Result<RunHandle, HostError> {
    let mut conductor = prepare(host, request, RunStatus::Running).await?;
    match conductor.launch().await {
        Err(error) if !conductor.may_go_on(&error) => {
            conductor.retract();
            Err(error)
        }
        first => {
            let run = conductor.run.clone();
            conduct::spawn(host, &run, conductor.conduct(first));
            Ok(run)
        }
    }
}

/// Gives a request its run: it can be watched and cancelled, and has no agent yet.
pub(super) async fn prepare(
    host: &Host,
    request: RunRequest,
    status: RunStatus,
) -> Result<Conductor, HostError> {
    let request = request::check(request)?;
    let adapter = host.adapter(&request.agent).await?;
    remove_old_runs(host);
    let folder = RunFolder::create(host.home(), &request.params.run_id)?;
    match furnish(host, request, adapter, &folder, status) {
        Ok(conductor) => Ok(conductor),
        Err(error) => {
            folder.discard();
            Err(error)
        }
    }
}

fn furnish(
    host: &Host,
    request: RunRequest,
    adapter: Adapter,
    folder: &RunFolder,
    status: RunStatus,
) -> Result<Conductor, HostError> {
    // The journal is there, and owned, before the record says that the run is.
    let sink = Sink::create(folder, &request.params.run_id)?;
    let record = record(host, &adapter, &request, status);
    folder.write_record(&record)?;
    let (stop, stopping) = mpsc::unbounded_channel();
    let (entered, in_ledger) = watch::channel(None);
    let (ended, waiting) = watch::channel(None);
    let shared = Shared {
        run_id: record.run_id.clone(),
        folder: folder.clone(),
        record: Mutex::new(record),
        caller: Mutex::new(None),
        progress: sink.progress(),
        stop,
        entered: in_ledger,
        ended: waiting,
    };
    let run = RunHandle { shared: Arc::new(shared) };
    host.adopt(&run);
    let control = control::serve(&run);
    let sink = Arc::new(Mutex::new(sink));
    Ok(Conductor {
        host: host.clone(),
        run,
        attempts: Attempts::new(&request),
        first_agent: request.agent.clone(),
        request,
        adapter,
        sink,
        stop: stopping,
        entered,
        ended,
        moves: None,
        control,
        waited: Duration::ZERO,
        deadline: None,
        opening: None,
        state: StreamState::default(),
    })
}

fn record(host: &Host, adapter: &Adapter, request: &RunRequest, status: RunStatus) -> RunRecord {
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
        host: host.owner(),
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

/// Whose span the run belongs to, when the client says so.
fn traceparent(meta: &Option<Meta>) -> Option<String> {
    meta.as_ref()?.get("traceparent")?.as_str().map(str::to_owned)
}

/// Old runs are removed beside the new one's start, not before it.
fn remove_old_runs(host: &Host) {
    let (home, retention) = (host.home().clone(), host.settings().retention.clone());
    let removal = move || {
        if let Err(error) = store::apply_retention(&home, &retention) {
            tracing::warn!(%error, "cannot remove old runs");
        }
    };
    drop(tokio::task::spawn_blocking(removal));
}
