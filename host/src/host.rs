//! [`Host`]: the public entry point of the library. Delegates to the layers below.

mod agents;
mod records;
mod result;

use std::time::Duration;

use jiff::tz::TimeZone;
use od_protocol::ErrorKind;
use od_protocol::api::{SummarizeUsageParams, UsageSummary};

use crate::agents::Agents;
use crate::context::{HostContext, HostOptions};
use crate::control::{self, RunClient};
use crate::discover::{Adapter, Discovery};
use crate::error::HostError;
use crate::home::OdHome;
use crate::journal::folder::RunFolder;
use crate::journal::{EventReader, RunRecord, RunStatus, Source, store};
use crate::plugin::Plugin;
use crate::queue::RunQueue;
use crate::run::{RunHandle, RunRegistry, RunRequest, recover, start};
use crate::settings::Settings;
use crate::telemetry::Telemetry;
use crate::telemetry::metrics::Snapshot;
use crate::usage;

/// The host: finds adapters, runs agents, and reads the events of runs. Clones share it. Its async methods need a tokio
/// runtime with I/O and time enabled; one thread is enough.
///
/// ```
/// use od_host::home::OdHome;
/// use od_host::{Host, HostOptions};
///
/// # let scratch = tempfile::tempdir().expect("a folder");
/// # let path = scratch.path().join("od-home");
/// let home = OdHome::at(path)?;
/// let host = Host::open(HostOptions::new(home))?;
/// assert!(host.runs()?.is_empty());
/// # Ok::<(), od_host::HostError>(())
/// ```
///
/// Starting a run and reading its events:
///
/// ```no_run
/// # async fn example(host: od_host::Host) -> Result<(), od_host::HostError> {
/// use od_host::RunRequest;
///
/// let mut request = RunRequest { agent: "demo".to_owned(), ..RunRequest::default() };
/// request.params.prompt.text = "fix the failing test".to_owned();
/// request.params.cwd = "/projects/app".to_owned();
/// let run = host.start(request).await?;
/// let mut reader = run.events(0)?;
/// while let Some(event) = reader.next().await? {
///     println!("{}", event.type_name);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Host {
    runs: RunRegistry,
}

impl Host {
    /// Creates the home folder if needed, reads the settings, and makes this process the reaper of orphaned processes.
    ///
    /// At the end of a run, the host kills child processes of this process that are younger than the run, belong to no
    /// live adapter and are in another process group. A program that starts its own children keeps them in its own
    /// group.
    ///
    /// # Errors
    /// When the folder cannot be created, the settings cannot be read, or other users can write to them.
    pub fn open(options: HostOptions) -> Result<Self, HostError> {
        let context = HostContext::open(options)?;
        let agents = Agents::new(context.clone());
        Ok(Self { runs: RunRegistry::new(context, agents, control::serve) })
    }

    /// The home folder of the host.
    pub fn home(&self) -> &OdHome {
        self.context().home()
    }

    /// The content of `settings.toml`.
    pub fn settings(&self) -> &Settings {
        self.context().settings()
    }

    /// The options the host was opened with.
    pub fn options(&self) -> &HostOptions {
        self.context().options()
    }

    /// Logs, metrics and traces of the host.
    pub fn telemetry(&self) -> &Telemetry {
        self.context().telemetry()
    }

    /// Finds all adapters; uses cached manifests where they are valid.
    pub async fn discover(&self) -> Discovery {
        self.context().begin_search(None).finish().await
    }

    /// Finds one adapter by its id.
    ///
    /// # Errors
    /// When no adapter has this id, or it must not be used.
    pub async fn adapter(&self, id: &str) -> Result<Adapter, HostError> {
        self.context().adapter(id).await
    }

    /// Starts and initialises one adapter process for calls outside a run: `models/list`, `adapter/health`,
    /// `quota/get`, `sessions/list`.
    ///
    /// # Errors
    /// When no adapter has this id, or it does not start.
    pub async fn connect(&self, agent: &str) -> Result<Plugin, HostError> {
        let adapter = self.adapter(agent).await?;
        Ok(self.context().launch(&adapter).await?)
    }

    /// Starts a run at once.
    ///
    /// # Errors
    /// When the request is invalid, the agent is unknown, or the adapter refuses the run. After a successful start,
    /// errors are in the run's events, and `done` always follows.
    pub async fn start(&self, request: RunRequest) -> Result<RunHandle, HostError> {
        start::start(&self.runs, request).await
    }

    /// Starts a run as soon as the queue admits it. Clients can read and cancel it at once; `queue_limit` limits the
    /// wait.
    ///
    /// ```no_run
    /// # async fn example(host: od_host::Host, request: od_host::RunRequest) -> Result<(), od_host::HostError> {
    /// use od_host::queue::{QueueLimits, RunQueue};
    ///
    /// let queue = RunQueue::new(QueueLimits::from_settings(host.settings()));
    /// let run = host.start_queued(request, &queue, None).await?;
    /// println!("{:?}", queue.position(run.id()));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the queue is full or closed, the request is invalid, or the agent is unknown.
    pub async fn start_queued(
        &self,
        request: RunRequest,
        queue: &RunQueue,
        queue_limit: Option<Duration>,
    ) -> Result<RunHandle, HostError> {
        start::start_queued(&self.runs, request, queue, queue_limit).await
    }

    /// All runs, newest first. Closes runs whose host died. Skips a run whose record cannot be read; `doctor` reports
    /// it.
    ///
    /// # Errors
    /// When the folder of runs cannot be read.
    pub fn runs(&self) -> Result<Vec<RunRecord>, HostError> {
        let ids = store::ids(self.home())?;
        Ok(ids.into_iter().filter_map(|run_id| self.readable_record(&run_id)).collect())
    }

    /// The usage of the runs that have ended, including removed ones. Days are days of the system time zone.
    ///
    /// # Errors
    /// When the period ends before it starts, or the ledger cannot be read.
    pub fn usage(&self, params: &SummarizeUsageParams) -> Result<UsageSummary, HostError> {
        usage::summarize(self.home(), params, &TimeZone::system())
    }

    /// Finds one run by its id, a unique prefix of its id, or `last`.
    ///
    /// # Errors
    /// `run_unknown` when no run or more than one run matches.
    pub fn find_run(&self, text: &str) -> Result<RunRecord, HostError> {
        self.record_of(&store::find(self.home(), text)?)
    }

    /// Reads the events of any run, live or ended, of this or another process. Closes a run whose host died when the
    /// reader reaches its last event.
    ///
    /// # Errors
    /// `run_unknown`, or when the journal cannot be opened.
    pub fn events(&self, run_id: &str, from: u64) -> Result<EventReader, HostError> {
        self.events_of(&store::find(self.home(), run_id)?, from)
    }

    /// Reads the events of the run with exactly this id.
    pub(crate) fn events_of(&self, run_id: &str, from: u64) -> Result<EventReader, HostError> {
        if let Some(run) = self.live_run(run_id) {
            return run.events(from);
        }
        let folder = RunFolder::of(self.home(), run_id);
        let source = match folder.read_record()?.is_closed() {
            true => Source::Finished,
            false => Source::OtherProcess { checked_at: None, settle: recover::settle },
        };
        EventReader::open(folder, from, source)
    }

    /// A live run of this process.
    pub fn live_run(&self, run_id: &str) -> Option<RunHandle> {
        self.runs.get(run_id)
    }

    /// All live runs of this process.
    pub fn live_runs(&self) -> Vec<RunHandle> {
        self.runs.all()
    }

    /// Connects to the process that owns a run, to cancel it, send it input or answer it.
    ///
    /// # Errors
    /// When the run is unknown or has ended.
    pub async fn run_client(&self, run_id: &str) -> Result<RunClient, HostError> {
        self.client_of(&store::find(self.home(), run_id)?).await
    }

    /// Connects to the owner of the run with exactly this id.
    pub(crate) async fn client_of(&self, run_id: &str) -> Result<RunClient, HostError> {
        let folder = RunFolder::of(self.home(), run_id);
        let record = recover::settle_async(&folder).await?;
        if !record.status.is_alive() {
            let text = format!("run {} has ended", record.run_id);
            return Err(HostError::protocol(ErrorKind::RunUnknown, text)
                .with_hint(format!("see its events: od-host replay {}", record.run_id)));
        }
        RunClient::connect(&folder, run_id).await
    }

    /// All metrics in the text format of Prometheus, with the content type
    /// [`CONTENT_TYPE`](crate::telemetry::metrics::CONTENT_TYPE). Reads the size of every journal on disk.
    pub fn metrics_text(&self) -> String {
        let runs = self.live_runs();
        let count = |status| runs.iter().filter(|run| run.status() == status).count();
        let (running, queued) = (count(RunStatus::Running), count(RunStatus::Queued));
        let snapshot = Snapshot { running, queued, journal_bytes: store::bytes(self.home()) };
        self.telemetry().metrics().encode(&snapshot)
    }

    pub(crate) fn context(&self) -> &HostContext {
        self.runs.context()
    }

    fn agent_registry(&self) -> &Agents {
        self.runs.agents()
    }
}
