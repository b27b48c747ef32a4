//! The front door of the library: what a command or a server calls.

mod agents;
mod launch;
mod records;
mod result;

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::tz::TimeZone;
use od_protocol::api::{SummarizeUsageParams, UsageSummary};
use od_protocol::{Done, ErrorKind};

use crate::agents::live::LiveAgents;
use crate::connections::Connections;
use crate::control::RunClient;
use crate::discover::search::{Folder, folders};
use crate::discover::{Adapter, Discovery, Search};
use crate::doctor::{self, Check};
use crate::error::{Failure, HostError};
use crate::home::{OdHome, make_private_folder};
use crate::journal::folder::RunFolder;
use crate::journal::{EventReader, RunOwner, RunRecord, RunStatus, Source, store};
use crate::manifest_cache::ManifestCache;
use crate::plugin::mark::Mark;
use crate::plugin::{Plugin, os};
use crate::run::{self, RunHandle, RunRequest, now_ms, recover};
use crate::settings::Settings;
use crate::telemetry::Telemetry;
use crate::telemetry::metrics::Snapshot;
use crate::trust::{check_folder, pins};
use crate::usage::{self, Used};

/// How a host behaves; `HostOptions::new` has the values of the product.
#[derive(Debug, Clone)]
pub struct HostOptions {
    /// The host's folder.
    pub home: OdHome,
    /// `--adapter-dir`, searched first.
    pub adapter_dirs: Vec<PathBuf>,
    /// How long an adapter may be silent before it is pinged.
    pub silence: Duration,
    /// How long it may take to answer that ping.
    pub ping_limit: Duration,
    /// How long an adapter that answered a call outside a run is kept for the next one.
    pub keep_adapters: Duration,
    /// Stands in for the PATH this process was started with (see `login_path`).
    pub search_path: Option<OsString>,
}

impl HostOptions {
    /// The values of the product.
    pub fn new(home: OdHome) -> Self {
        Self {
            home,
            adapter_dirs: Vec::new(),
            silence: Duration::from_secs(10),
            ping_limit: Duration::from_secs(5),
            keep_adapters: Duration::from_secs(60),
            search_path: None,
        }
    }
}

/// The host. Clones share it. Its async methods need a tokio runtime with I/O and time enabled;
/// one thread is enough.
#[derive(Debug, Clone)]
pub struct Host {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    options: HostOptions,
    folders: Vec<Folder>,
    settings: Arc<Settings>,
    manifests: Arc<ManifestCache>,
    live_agents: LiveAgents,
    connections: Connections,
    started_at: u64,
    /// What its adapters are found by when it is gone.
    mark: Mark,
    telemetry: Telemetry,
    /// Runs of this process that are alive.
    runs: Mutex<HashMap<String, RunHandle>>,
}

impl Host {
    /// Makes the host's folder if need be, reads the settings, and becomes the process that
    /// inherits what a dead adapter leaves behind.
    ///
    /// At the end of a run, children of this process that are younger than the run, belong to no
    /// adapter that lives and are in another process group count as left behind and are killed. A
    /// program that starts children of its own keeps them in its own group.
    ///
    /// # Errors
    /// When the folder cannot be made, the settings cannot be read, or others could have written them.
    pub fn open(mut options: HostOptions) -> Result<Self, HostError> {
        let root = options.home.root();
        make_private_folder(root).map_err(|error| {
            HostError::storage(format!("cannot make {}", root.display()), &error)
        })?;
        check_folder(root).map_err(|problem| {
            // Whoever can put files there decides which programs are executed and who gets in.
            let text =
                format!("cannot use the host's folder {}: {}", root.display(), problem.reason);
            let hint = format!("{}, or set OD_HOME to a folder of your own", problem.fix);
            HostError::usage(text).with_hint(hint)
        })?;
        let settings = Settings::read(&options.home.settings_file())?;
        for folder in &mut options.adapter_dirs {
            if let Ok(absolute) = std::path::absolute(&*folder) {
                *folder = absolute;
            }
        }
        if let Err(error) = os::become_reaper() {
            tracing::warn!(%error, "what a killed adapter leaves behind cannot be found");
        }
        if let Err(error) = os::raise_file_limit() {
            tracing::warn!(%error, "the limit of open files stays as it is; many runs at once may fail");
        }
        let started_at = now_ms();
        let search_path = effective_path(&options);
        let mark = Mark::own(options.home.root());
        let manifests = ManifestCache::load(
            options.home.manifest_cache(),
            options.search_path.clone(),
            mark.clone(),
        );
        let shared = Shared {
            folders: folders(&options.adapter_dirs, &options.home, &search_path),
            manifests: Arc::new(manifests),
            live_agents: LiveAgents::new(options.home.agents_file()),
            connections: Connections::default(),
            telemetry: Telemetry::start(started_at, &settings.telemetry),
            settings: Arc::new(settings),
            started_at,
            mark,
            runs: Mutex::default(),
            options,
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// The host's folder.
    pub fn home(&self) -> &OdHome {
        &self.shared.options.home
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.shared.settings
    }

    /// Which adapters are there; reads manifests from the cache where it can.
    pub async fn discover(&self) -> Discovery {
        self.begin_search(None).finish().await
    }

    /// One adapter by its id.
    ///
    /// # Errors
    /// When there is none of that name, or it may not be used: with the reason and the fix.
    pub async fn adapter(&self, id: &str) -> Result<Adapter, HostError> {
        let mut discovery = self.begin_search(Some(id)).finish().await;
        if let Some(adapter) = discovery.adapters.pop() {
            return Ok(adapter);
        }
        let about_it = discovery.rejected.into_iter().find(|rejected| {
            rejected.id.as_deref() == Some(id)
                || rejected.path.join(format!("od-adapter-{id}")).exists()
        });
        Err(match about_it {
            Some(rejected) => HostError::new(
                Failure::AgentRejected,
                format!("the adapter {} is not used: {}", rejected.path.display(), rejected.reason),
            )
            .with_hint(rejected.fix),
            None => HostError::new(Failure::AgentUnknown, format!("there is no agent {id:?}"))
                .with_hint("`od-host agents` lists the agents that are there"),
        })
    }

    /// Starts one adapter and initialises it, for calls outside a run: `models/list`,
    /// `adapter/health`, `quota/get`, `sessions/list`.
    ///
    /// # Errors
    /// When there is no such agent, or its adapter does not start.
    pub async fn connect(&self, agent: &str) -> Result<Plugin, HostError> {
        let adapter = self.adapter(agent).await?;
        Ok(self.launch(&adapter).await?)
    }

    /// Starts a run.
    ///
    /// # Errors
    /// When the request cannot work, the agent is not there, or the adapter refuses. Once this has
    /// succeeded, everything else is told by the events and `done` always comes.
    pub async fn start(&self, request: RunRequest) -> Result<RunHandle, HostError> {
        run::start::start(self, request).await
    }

    /// All runs, the newest first. A run whose host died is closed as failed on the way; one whose
    /// record cannot be read is left out, and `doctor` tells about it.
    ///
    /// # Errors
    /// When the folder of runs cannot be read.
    pub fn runs(&self) -> Result<Vec<RunRecord>, HostError> {
        let ids = store::ids(self.home())?;
        Ok(ids.into_iter().filter_map(|run_id| self.shown(&run_id)).collect())
    }

    /// What the runs that are over have used, those that were removed included; days are those of the
    /// system's time zone.
    ///
    /// # Errors
    /// When the period ends before it begins, or the ledger cannot be read.
    pub fn usage(&self, params: &SummarizeUsageParams) -> Result<UsageSummary, HostError> {
        usage::summarize(self.home(), params, &TimeZone::system())
    }

    /// One run: by its id, the beginning of it that fits only one, or `last`.
    ///
    /// # Errors
    /// `run_unknown` when none or more than one fits.
    pub fn find_run(&self, text: &str) -> Result<RunRecord, HostError> {
        self.record_of(&store::find(self.home(), text)?)
    }

    /// Reads the events of any run, finished or not, of this process or another. A run whose host died is closed when
    /// its reader has come to what it left.
    ///
    /// # Errors
    /// `run_unknown`, or when the journal cannot be opened.
    pub fn events(&self, run_id: &str, from: u64) -> Result<EventReader, HostError> {
        self.events_of(&store::find(self.home(), run_id)?, from)
    }

    /// The same for the whole id of a run.
    pub(crate) fn events_of(&self, run_id: &str, from: u64) -> Result<EventReader, HostError> {
        if let Some(run) = self.live_run(run_id) {
            return run.events(from);
        }
        let folder = RunFolder::of(self.home(), run_id);
        let source = match recover::is_closed(&folder.read_record()?) {
            true => Source::Nobody,
            false => Source::Elsewhere(None),
        };
        EventReader::open(folder, from, source)
    }

    /// A run of this process that is going on.
    pub fn live_run(&self, run_id: &str) -> Option<RunHandle> {
        self.live().get(run_id).cloned()
    }

    /// All runs of this process that are going on.
    pub fn live_runs(&self) -> Vec<RunHandle> {
        self.live().values().cloned().collect()
    }

    /// A line to the process that owns a run, to cancel, feed or answer it.
    ///
    /// # Errors
    /// When the run is unknown or over.
    pub async fn run_client(&self, run_id: &str) -> Result<RunClient, HostError> {
        self.client_of(&store::find(self.home(), run_id)?).await
    }

    /// The same for the whole id of a run.
    pub(crate) async fn client_of(&self, run_id: &str) -> Result<RunClient, HostError> {
        let folder = RunFolder::of(self.home(), run_id);
        let record = recover::settle_beside(&folder).await?;
        if !record.status.is_alive() {
            let text = format!("the run {} is over", record.run_id);
            return Err(HostError::protocol(ErrorKind::RunUnknown, text)
                .with_hint(format!("`od-host replay {}` shows it", record.run_id)));
        }
        RunClient::connect(&folder, run_id).await
    }

    /// Everything that could be wrong.
    pub async fn doctor(&self) -> Vec<Check> {
        doctor::examine(self).await
    }

    /// How it behaves.
    pub fn options(&self) -> &HostOptions {
        &self.shared.options
    }

    /// Where its logs, metrics and traces come from.
    pub fn telemetry(&self) -> &Telemetry {
        &self.shared.telemetry
    }

    /// All metrics as text for Prometheus, with [`CONTENT_TYPE`](crate::telemetry::metrics::CONTENT_TYPE). Looks at
    /// the journals on disk, so it may take a moment.
    pub fn metrics_text(&self) -> String {
        let runs = self.live_runs();
        let count = |status| runs.iter().filter(|run| run.status() == status).count();
        let (running, queued) = (count(RunStatus::Running), count(RunStatus::Queued));
        let snapshot = Snapshot { running, queued, journal_bytes: store::bytes(self.home()) };
        self.telemetry().metrics().encode(&snapshot)
    }

    /// Who owns the runs of this process.
    pub(crate) fn owner(&self) -> RunOwner {
        RunOwner { pid: std::process::id(), started_at: self.shared.started_at }
    }

    /// Remembers a run while it is alive.
    pub(crate) fn adopt(&self, run: &RunHandle) {
        self.live().insert(run.id().to_owned(), run.clone());
    }

    /// Forgets a run that was taken back.
    pub(crate) fn forget(&self, run: &RunHandle) {
        self.live().remove(run.id());
    }

    /// Forgets a run that is over; `used` is what its attempts used.
    pub(crate) fn release(&self, run: &RunHandle, done: &Done, used: &[Used]) {
        self.telemetry().run_ended(run, done, used);
        self.forget(run);
    }

    /// Begins to look for adapters: all of them, or one by its id.
    pub(crate) fn begin_search(&self, wanted: Option<&str>) -> Search {
        let Shared { folders, manifests, settings, .. } = &*self.shared;
        Search::begin(folders, wanted, manifests, &pins::with_pins(settings, self.home()))
    }

    fn live(&self) -> MutexGuard<'_, HashMap<String, RunHandle>> {
        self.shared.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn effective_path(options: &HostOptions) -> OsString {
    options.search_path.clone().or_else(|| std::env::var_os("PATH")).unwrap_or_default()
}
