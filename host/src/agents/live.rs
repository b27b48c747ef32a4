//! Who looks, and when: what is known is answered at once, what no longer holds is looked at again
//! meanwhile, each agent by one look at a time. An adapter that hangs costs its own limit and delays
//! no other.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use od_protocol::DetectAdapterParams;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::cache::{AgentsCache, Row, Worth};
use super::fingerprint::Surroundings;
use super::{Agent, AgentList, Detection, Refresh};
use crate::discover::Adapter;
use crate::error::HostError;
use crate::host::Host;
use crate::plugin::process;

/// How long a list waits for agents of which nothing is known yet.
const FIRST_LOOK: Duration = Duration::from_millis(1500);
/// How long a list waits to hear which adapters are there, when that was known before.
const SURVEY: Duration = Duration::from_millis(250);
/// A refresh answers by then, whatever hangs.
const REFRESH: Duration = Duration::from_secs(20);

/// What is known, and the looks that go on.
#[derive(Debug)]
pub(crate) struct LiveAgents {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    cache: AgentsCache,
    /// The adapters that were there at the last survey; `None` before the first.
    known: Option<BTreeMap<String, Adapter>>,
    surveys: Option<Look>,
    looks: HashMap<PathBuf, Look>,
    unswept: Option<process::Ended>,
}

/// A look that goes on until its sender is gone.
#[derive(Debug, Clone)]
struct Look {
    refresh: Refresh,
    begun: Instant,
    ended: watch::Receiver<()>,
}

impl Look {
    /// One that begins now, and what ends it.
    fn begin(refresh: Refresh) -> (watch::Sender<()>, Self) {
        let (going, ended) = watch::channel(());
        (going, Self { refresh, begun: Instant::now(), ended })
    }

    fn goes_on(&self) -> bool {
        self.ended.has_changed().is_ok()
    }

    async fn over(mut self) {
        // Nothing is ever sent: the only news is that the sender is gone.
        drop(self.ended.changed().await);
    }
}

/// Which rows are looked at again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    /// Those that do not hold; one that failed a moment ago may be shown as it is.
    ToShow,
    /// Those that do not hold.
    ToRely,
    /// All.
    Anew,
}

impl Wish {
    fn of(refresh: Refresh) -> Self {
        match refresh {
            Refresh::WhenStale => Self::ToRely,
            Refresh::Always => Self::Anew,
        }
    }

    fn wants(self, worth: Worth) -> bool {
        match self {
            Self::ToShow => worth == Worth::Stale,
            Self::ToRely => worth != Worth::Good,
            Self::Anew => true,
        }
    }

    fn refresh(self) -> Refresh {
        if self == Self::Anew { Refresh::Always } else { Refresh::WhenStale }
    }
}

/// All agents, each row true or as new as it can be: waits for every look.
pub(crate) async fn look(host: &Host, refresh: Refresh) -> Vec<Agent> {
    for look in survey(host, Wish::of(refresh)).await {
        look.over().await;
    }
    host.live_agents().list(host).agents
}

/// The same, but what is slow is not waited for when that which is known is enough by the time a list is shown.
pub(crate) async fn look_until(host: &Host, enough: impl Fn(&[Agent]) -> bool) -> Vec<Agent> {
    let deadline = Instant::now() + FIRST_LOOK;
    let looks = survey(host, Wish::ToRely).await;
    let live = host.live_agents();
    let all = async {
        for look in looks {
            look.over().await;
        }
    };
    tokio::pin!(all);
    if timeout_at(deadline, &mut all).await.is_err() && !enough(&live.list(host).agents) {
        all.await;
    }
    live.list(host).agents
}

/// One agent, its row true.
pub(crate) async fn look_at(host: &Host, adapter: &Adapter, refresh: Refresh) -> Agent {
    let live = host.live_agents();
    let begun = live.consider(host, adapter, Wish::of(refresh), &Surroundings::look(host));
    if let Some(look) = begun {
        look.over().await;
    }
    live.agent(adapter, &Surroundings::look(host))
}

/// All agents at once, as far as they are known; what does not hold is looked at meanwhile. Only for
/// agents of which nothing is known it waits, and not for long: one that hangs delays the lists of its first
/// moments only.
pub(crate) async fn list(host: &Host) -> AgentList {
    let live = host.live_agents();
    let (first, surveyed) = live.begin_survey(host);
    let latest = Instant::now() + FIRST_LOOK;
    let patience = surveyed.begun + if first { FIRST_LOOK } else { SURVEY };
    // Late or not, what is there by then is shown.
    drop(timeout_at(patience, surveyed.over()).await);
    for look in live.first_looks() {
        drop(timeout_at(latest.min(look.begun + FIRST_LOOK), look.over()).await);
    }
    live.list(host)
}

/// Looks again at all agents, or at one, and says how all of them stand then.
///
/// # Errors
/// When there is no such agent.
pub(crate) async fn refresh(host: &Host, agent: Option<&str>) -> Result<AgentList, HostError> {
    match agent {
        Some(id) => {
            let adapter = host.adapter(id).await?;
            look_at(host, &adapter, Refresh::Always).await;
            Ok(list(host).await)
        }
        None => {
            let deadline = Instant::now() + REFRESH;
            drop(timeout_at(deadline, look(host, Refresh::Always)).await);
            Ok(host.live_agents().list(host))
        }
    }
}

impl LiveAgents {
    /// What the file remembers.
    pub(crate) fn new(file: PathBuf) -> Self {
        let cache = AgentsCache::read(&file);
        let (known, surveys, unswept) = (None, None, None);
        Self { state: Mutex::new(State { cache, known, surveys, looks: HashMap::new(), unswept }) }
    }

    /// Begins to look which adapters are there, unless that goes on already; says whether it is the
    /// first time.
    fn begin_survey(&self, host: &Host) -> (bool, Look) {
        let mut state = self.state();
        let first = state.known.is_none();
        if let Some(survey) = state.surveys.as_ref().filter(|survey| survey.goes_on()) {
            return (first, survey.clone());
        }
        let (going, begun) = Look::begin(Refresh::WhenStale);
        state.surveys = Some(begun.clone());
        let host = host.clone();
        tokio::spawn(async move {
            survey(&host, Wish::ToShow).await;
            drop(going);
        });
        (first, begun)
    }

    /// Looks at an adapter's agent when its row is not good enough for the wish.
    fn consider(
        &self,
        host: &Host,
        adapter: &Adapter,
        wish: Wish,
        surroundings: &Surroundings<'_>,
    ) -> Option<Look> {
        let mut state = self.state();
        let worth =
            state.cache.row(adapter).map_or(Worth::Stale, |row| row.worth(adapter, surroundings));
        if !wish.wants(worth) {
            return None;
        }
        let before = state.looks.get(&adapter.path).filter(|look| look.goes_on()).cloned();
        if let Some(look) = before.as_ref().filter(|look| look.refresh >= wish.refresh()) {
            return Some(look.clone());
        }
        let (going, begun) = Look::begin(wish.refresh());
        state.looks.insert(adapter.path.clone(), begun.clone());
        let (host, adapter) = (host.clone(), adapter.clone());
        tokio::spawn(async move {
            if let Some(before) = before {
                before.over().await;
            }
            detect(&host, &adapter, wish.refresh()).await;
            drop(going);
        });
        Some(begun)
    }

    /// Keeps what came of a look. One that the end of the program has cut short says nothing of its agent.
    fn land(&self, adapter: &Adapter, detection: Detection, was: &Surroundings<'_>) {
        if process::is_closed() {
            return;
        }
        let mut state = self.state();
        state.cache.reread();
        state.cache.put(adapter, detection, was);
        state.cache.save();
    }

    /// What is left to sweep up, for the last of the looks that go on; it does it for all of them.
    fn to_sweep(&self, ended: process::Ended) -> Option<process::Ended> {
        let mut state = self.state();
        let first = state.unswept.map_or(ended, |unswept| unswept.min(ended));
        let others = state.looks.values().filter(|look| look.goes_on()).count() > 1;
        state.unswept = others.then_some(first);
        (!others).then_some(first)
    }

    /// The looks at agents of which nothing is known.
    fn first_looks(&self) -> Vec<Look> {
        let state = self.state();
        let unknown = state.known.iter().flatten().filter(|(_, it)| state.cache.row(it).is_none());
        unknown.filter_map(|(_, adapter)| state.looks.get(&adapter.path).cloned()).collect()
    }

    fn list(&self, host: &Host) -> AgentList {
        let surroundings = Surroundings::look(host);
        let mut state = self.state();
        state.cache.reread();
        let known = state.known.iter().flatten();
        let agents = known.map(|(_, adapter)| state.agent(adapter, &surroundings)).collect();
        let refreshing = state.surveys.iter().chain(state.looks.values()).any(Look::goes_on);
        AgentList { agents, refreshing }
    }

    fn agent(&self, adapter: &Adapter, surroundings: &Surroundings<'_>) -> Agent {
        self.state().agent(adapter, surroundings)
    }

    fn learn(&self, adapter: &Adapter) {
        let mut state = self.state();
        state.known.get_or_insert_default().insert(adapter.id.clone(), adapter.clone());
    }

    fn forget_others(&self, seen: &BTreeSet<String>) {
        self.state().known.get_or_insert_default().retain(|id, _| seen.contains(id));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn agent(&self, adapter: &Adapter, surroundings: &Surroundings<'_>) -> Agent {
        match self.cache.row(adapter) {
            Some(row) => row.agent(adapter, row.worth(adapter, surroundings)),
            None => Row::default().agent(adapter, Worth::Stale),
        }
    }
}

/// Looks which adapters are there and begins to look at their agents as each adapter turns up: one that
/// is slow to show its manifest holds up nobody.
async fn survey(host: &Host, wish: Wish) -> Vec<Look> {
    let live = host.live_agents();
    let mut searching = host.begin_search(None);
    let surroundings = Surroundings::look(host);
    let (mut seen, mut looks) = (BTreeSet::new(), Vec::new());
    while let Some(found) = searching.next().await {
        for adapter in found.adapters {
            live.learn(&adapter);
            looks.extend(live.consider(host, &adapter, wish, &surroundings));
            seen.insert(adapter.id);
        }
    }
    live.forget_others(&seen);
    looks
}

async fn detect(host: &Host, adapter: &Adapter, refresh: Refresh) {
    let live = host.live_agents();
    // As they were before: a change meanwhile makes the result stale.
    let surroundings = Surroundings::look(host);
    let begun = Instant::now();
    let plugin = match host.launch(adapter).await {
        Ok(plugin) => plugin,
        Err(error) => return live.land(adapter, Err(error), &surroundings),
    };
    let detection = plugin.call(DetectAdapterParams { refresh: refresh == Refresh::Always }).await;
    host.telemetry().detected(&adapter.id, begun.elapsed());
    live.land(adapter, detection, &surroundings);
    let ended = plugin.stop().await;
    if let Some(ended) = live.to_sweep(ended) {
        process::sweep(ended).await;
    }
}
