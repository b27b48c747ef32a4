//! When agents are detected. Known results are returned at once and stale ones are detected again in
//! the background, at most one detection per agent at a time. An adapter that hangs delays only itself.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use od_protocol::adapter::DetectAdapterParams;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::agent::{Agent, AgentList, Detection, Refresh};
use super::cache::{AgentsCache, Row, Validity};
use super::fingerprint::DetectionInputs;
use super::registry::Agents;
use crate::discover::Adapter;
use crate::plugin::process;
use crate::sync::lock;

/// How long a list waits for agents that were never detected.
const FIRST_DETECTION_TIMEOUT: Duration = Duration::from_millis(1500);
/// How long a list waits for the search for adapters when an earlier search has finished.
const SEARCH_TIMEOUT: Duration = Duration::from_millis(250);
/// A refresh returns after this time even when an adapter hangs.
const REFRESH_TIMEOUT: Duration = Duration::from_secs(20);

/// The known results and the detections that are running.
#[derive(Debug)]
pub(super) struct Detections {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    cache: AgentsCache,
    /// The adapters that the last search found; `None` before the first search.
    known: Option<BTreeMap<String, Adapter>>,
    search: Option<BackgroundTask>,
    detections: HashMap<PathBuf, BackgroundTask>,
    /// When the first adapter stopped whose orphaned processes are not ended yet.
    unswept: Option<process::Ended>,
}

/// A background task that runs until its sender is dropped.
#[derive(Debug, Clone)]
struct BackgroundTask {
    refresh: Refresh,
    started: Instant,
    finished: watch::Receiver<()>,
}

impl BackgroundTask {
    /// Returns a new task and the sender that the task drops at its end.
    fn new(refresh: Refresh) -> (watch::Sender<()>, Self) {
        let (running, finished) = watch::channel(());
        (running, Self { refresh, started: Instant::now(), finished })
    }

    fn is_running(&self) -> bool {
        self.finished.has_changed().is_ok()
    }

    async fn wait(mut self) {
        // Nothing is ever sent: the channel only closes.
        drop(self.finished.changed().await);
    }
}

/// Which results are detected again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    /// For a list: stale ones. A result that has just failed may be shown.
    Display,
    /// For a decision: every one that is not valid.
    Valid,
    /// All.
    Fresh,
}

impl Need {
    fn of(refresh: Refresh) -> Self {
        match refresh {
            Refresh::WhenStale => Self::Valid,
            Refresh::Always => Self::Fresh,
        }
    }

    fn is_met_by(self, validity: Validity) -> bool {
        match self {
            Self::Display => validity != Validity::Stale,
            Self::Valid => validity == Validity::Valid,
            Self::Fresh => false,
        }
    }

    fn refresh(self) -> Refresh {
        if self == Self::Fresh { Refresh::Always } else { Refresh::WhenStale }
    }
}

impl Agents {
    /// All agents, sorted by id. Waits until every detection has finished.
    pub(crate) async fn all(&self, refresh: Refresh) -> Vec<Agent> {
        for detection in self.search(Need::of(refresh)).await {
            detection.wait().await;
        }
        self.known().agents
    }

    /// Detects all agents. Does not wait for slow ones when the known results are enough.
    pub(super) async fn detect_until(&self, is_enough: impl Fn(&[Agent]) -> bool) -> Vec<Agent> {
        let deadline = Instant::now() + FIRST_DETECTION_TIMEOUT;
        let detections = self.search(Need::Valid).await;
        let all = async {
            for detection in detections {
                detection.wait().await;
            }
        };
        tokio::pin!(all);
        if timeout_at(deadline, &mut all).await.is_err() && !is_enough(&self.known().agents) {
            all.await;
        }
        self.known().agents
    }

    /// Detects one agent and waits for the result.
    pub(super) async fn detect_one(&self, adapter: &Adapter, refresh: Refresh) -> Agent {
        let inputs = DetectionInputs::read(&self.context);
        if let Some(detection) = self.start_detection(adapter, Need::of(refresh), &inputs) {
            detection.wait().await;
        }
        let inputs = DetectionInputs::read(&self.context);
        self.detections.state().agent(adapter, &inputs)
    }

    /// Returns what is known and detects stale results in the background. Waits only for agents that were never
    /// detected, and not for long.
    pub(crate) async fn list(&self) -> AgentList {
        let (is_first, search) = self.start_search();
        let latest = Instant::now() + FIRST_DETECTION_TIMEOUT;
        let limit = if is_first { FIRST_DETECTION_TIMEOUT } else { SEARCH_TIMEOUT };
        // The list shows what is known by then, finished or not.
        drop(timeout_at(search.started + limit, search.wait()).await);
        for detection in self.detections.first_detections() {
            let deadline = latest.min(detection.started + FIRST_DETECTION_TIMEOUT);
            drop(timeout_at(deadline, detection.wait()).await);
        }
        self.known()
    }

    /// Detects all agents again and returns the results that arrived in time.
    pub(super) async fn refresh_all(&self) -> AgentList {
        let deadline = Instant::now() + REFRESH_TIMEOUT;
        drop(timeout_at(deadline, self.all(Refresh::Always)).await);
        self.known()
    }

    fn known(&self) -> AgentList {
        self.detections.list(&DetectionInputs::read(&self.context))
    }

    /// Starts a search for adapters unless one is running. Returns whether it is the first one.
    fn start_search(&self) -> (bool, BackgroundTask) {
        let mut state = self.detections.state();
        let is_first = state.known.is_none();
        if let Some(search) = state.search.as_ref().filter(|search| search.is_running()) {
            return (is_first, search.clone());
        }
        let (running, search) = BackgroundTask::new(Refresh::WhenStale);
        state.search = Some(search.clone());
        let agents = self.clone();
        tokio::spawn(async move {
            agents.search(Need::Display).await;
            drop(running);
        });
        (is_first, search)
    }

    /// Searches for adapters and starts a detection as soon as each one is found: an adapter with a slow manifest
    /// delays no other.
    async fn search(&self, need: Need) -> Vec<BackgroundTask> {
        let mut search = self.context.begin_search(None);
        let inputs = DetectionInputs::read(&self.context);
        let (mut seen, mut detections) = (BTreeSet::new(), Vec::new());
        while let Some(found) = search.next().await {
            for adapter in found.adapters {
                self.detections.add(&adapter);
                detections.extend(self.start_detection(&adapter, need, &inputs));
                seen.insert(adapter.id);
            }
        }
        self.detections.remove_others(&seen);
        detections
    }

    /// Starts a detection when the known result does not meet the need. Joins a running one that does.
    fn start_detection(
        &self,
        adapter: &Adapter,
        need: Need,
        inputs: &DetectionInputs<'_>,
    ) -> Option<BackgroundTask> {
        let mut state = self.detections.state();
        let row = state.cache.row(adapter);
        let validity = row.map_or(Validity::Stale, |row| row.validity(adapter, inputs));
        if need.is_met_by(validity) {
            return None;
        }
        let running = state.detections.get(&adapter.path).filter(|it| it.is_running()).cloned();
        if let Some(detection) = running.as_ref().filter(|it| it.refresh >= need.refresh()) {
            return Some(detection.clone());
        }
        let (sender, detection) = BackgroundTask::new(need.refresh());
        state.detections.insert(adapter.path.clone(), detection.clone());
        let (agents, adapter) = (self.clone(), adapter.clone());
        tokio::spawn(async move {
            if let Some(running) = running {
                running.wait().await;
            }
            agents.detect(&adapter, need.refresh()).await;
            drop(sender);
        });
        Some(detection)
    }

    async fn detect(&self, adapter: &Adapter, refresh: Refresh) {
        // Read before the detection: a change during it makes the result stale.
        let inputs = DetectionInputs::read(&self.context);
        let started = Instant::now();
        let plugin = match self.context.launch(adapter).await {
            Ok(plugin) => plugin,
            Err(error) => return self.detections.store(adapter, Err(error), &inputs),
        };
        let params = DetectAdapterParams { refresh: refresh == Refresh::Always };
        let detection = plugin.call(params).await;
        self.context.telemetry().detected(&adapter.id, started.elapsed());
        self.detections.store(adapter, detection, &inputs);
        let ended = plugin.stop().await;
        if let Some(ended) = self.detections.take_unswept(ended) {
            process::sweep(ended).await;
        }
    }
}

impl Detections {
    /// Reads the cached results.
    pub(super) fn new(file: PathBuf) -> Self {
        let state = State {
            cache: AgentsCache::read(&file),
            known: None,
            search: None,
            detections: HashMap::new(),
            unswept: None,
        };
        Self { state: Mutex::new(state) }
    }

    /// Stores a result. A detection that the shutdown of the program has interrupted is not a result.
    fn store(&self, adapter: &Adapter, detection: Detection, inputs: &DetectionInputs<'_>) {
        if process::is_closed() {
            return;
        }
        let mut state = self.state();
        state.cache.reread();
        state.cache.put(adapter, detection, inputs);
        state.cache.save();
    }

    /// Returns since when orphaned processes must be ended, to the last running detection only.
    fn take_unswept(&self, ended: process::Ended) -> Option<process::Ended> {
        let mut state = self.state();
        let first = state.unswept.map_or(ended, |unswept| unswept.min(ended));
        let others = state.detections.values().filter(|it| it.is_running()).count() > 1;
        state.unswept = others.then_some(first);
        (!others).then_some(first)
    }

    /// The running detections of agents without any known result.
    fn first_detections(&self) -> Vec<BackgroundTask> {
        let state = self.state();
        let unknown = state.known.iter().flatten().filter(|(_, it)| state.cache.row(it).is_none());
        unknown.filter_map(|(_, adapter)| state.detections.get(&adapter.path).cloned()).collect()
    }

    fn list(&self, inputs: &DetectionInputs<'_>) -> AgentList {
        let mut state = self.state();
        state.cache.reread();
        let known = state.known.iter().flatten();
        let agents = known.map(|(_, adapter)| state.agent(adapter, inputs)).collect();
        let mut tasks = state.search.iter().chain(state.detections.values());
        AgentList { agents, refreshing: tasks.any(BackgroundTask::is_running) }
    }

    fn add(&self, adapter: &Adapter) {
        let mut state = self.state();
        state.known.get_or_insert_default().insert(adapter.id.clone(), adapter.clone());
    }

    fn remove_others(&self, seen: &BTreeSet<String>) {
        self.state().known.get_or_insert_default().retain(|id, _| seen.contains(id));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl State {
    fn agent(&self, adapter: &Adapter, inputs: &DetectionInputs<'_>) -> Agent {
        match self.cache.row(adapter) {
            Some(row) => row.agent(adapter, row.validity(adapter, inputs)),
            None => Row::default().agent(adapter, Validity::Stale),
        }
    }
}
