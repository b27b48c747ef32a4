//! Starting a run: the checks, the folder, the adapter, `run/start`.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use od_protocol::{ErrorObject, HostCapabilities, Marker, StartRunParams};
use tokio::sync::{mpsc, watch};

use super::handle::{RunHandle, Shared, Stop};
use super::now_ms;
use super::request::{self, Answers, RunRequest};
use super::supervise::{Patience, Supervisor, lock};
use crate::control;
use crate::discover::Adapter;
use crate::error::HostError;
use crate::host::Host;
use crate::journal::folder::RunFolder;
use crate::journal::sink::Sink;
use crate::journal::{RunRecord, RunStatus, store};
use crate::plugin::{Launch, Plugin};

/// Starts a run.
pub(crate) async fn start(host: &Host, request: RunRequest) -> Result<RunHandle, HostError> {
    let RunRequest { agent, params, answers } = request::check(request)?;
    let adapter = host.adapter(&agent).await?;
    remove_old_runs(host);
    let folder = RunFolder::create(host.home(), &params.run_id)?;
    match begin(host, &adapter, &folder, params, answers).await {
        Ok(run) => Ok(run),
        Err(error) => {
            // Nothing was received: there is nothing to keep.
            folder.remove();
            Err(error)
        }
    }
}

async fn begin(
    host: &Host,
    adapter: &Adapter,
    folder: &RunFolder,
    params: StartRunParams,
    answers: Answers,
) -> Result<RunHandle, HostError> {
    // The journal is there, and owned, before the record says that the run is going on.
    let sink = Sink::create(folder, &params.run_id)?;
    let progress = sink.progress();
    let sink = Arc::new(Mutex::new(sink));
    let record = record(host, adapter, &params);
    folder.write_record(&record)?;
    let approvals = (answers == Answers::Client).then_some(Marker {});
    let plugin = Plugin::launch(Launch {
        executable: adapter.path.clone(),
        environment: host.environment(adapter),
        initialize: host.initialize(adapter, HostCapabilities { approvals }),
        sink: Some(Arc::clone(&sink)),
        meter: host.telemetry().metrics().adapter(&adapter.id),
    })
    .await?;
    let (stop, stopping) = mpsc::unbounded_channel();
    let mut supervisor = Supervisor {
        plugin,
        sink,
        progress,
        stop: stopping,
        folder: folder.clone(),
        record: Arc::new(Mutex::new(record)),
        patience: patience(host, &params),
    };
    let refused = accepted(&mut supervisor.plugin, params).await.err();
    if let Some(error) = refused.clone()
        && lock(&supervisor.sink).next_seq() == 0
    {
        supervisor.plugin.close().await;
        return Err(error.into());
    }
    Ok(watch_over(host, supervisor, stop, refused))
}

/// Leaves the run to its supervisor; the handle is how a client reaches it.
fn watch_over(
    host: &Host,
    supervisor: Supervisor,
    stop: mpsc::UnboundedSender<Stop>,
    refused: Option<ErrorObject>,
) -> RunHandle {
    let (ended, waiting) = watch::channel(None);
    let shared = Shared {
        run_id: lock(&supervisor.record).run_id.clone(),
        folder: supervisor.folder.clone(),
        record: Arc::clone(&supervisor.record),
        caller: supervisor.plugin.caller().clone(),
        progress: supervisor.progress.clone(),
        stop,
        ended: waiting,
    };
    let run = RunHandle { shared: Arc::new(shared) };
    host.adopt(&run);
    let control = control::serve(&run);
    let (host, watched) = (host.clone(), run.clone());
    tokio::spawn(async move {
        let done = match refused {
            None => supervisor.run().await,
            Some(error) => supervisor.give_up(error).await,
        };
        drop(control);
        host.release(&watched, &done);
        ended.send_replace(Some(done));
    });
    run
}

async fn accepted(plugin: &mut Plugin, params: StartRunParams) -> Result<(), ErrorObject> {
    match plugin.call(params).await {
        Ok(_) => Ok(()),
        Err(error) => Err(plugin.explain(error).await),
    }
}

fn record(host: &Host, adapter: &Adapter, params: &StartRunParams) -> RunRecord {
    RunRecord {
        run_id: params.run_id.clone(),
        agent: adapter.id.clone(),
        adapter_path: adapter.path.clone(),
        adapter_version: adapter.manifest.version.clone(),
        cwd: params.cwd.clone().into(),
        prompt_preview: request::preview(&params.prompt.text),
        model: params.model.clone(),
        started_at: now_ms(),
        ended_at: None,
        host: host.owner(),
        status: RunStatus::Running,
        error_kind: None,
        session_id: None,
        lacks_end: false,
    }
}

fn patience(host: &Host, params: &StartRunParams) -> Patience {
    let total = params.timeouts.total_ms.filter(|total| *total > 0);
    Patience {
        silence: host.options().silence,
        ping_limit: host.options().ping_limit,
        total: total.map(Duration::from_millis),
    }
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
