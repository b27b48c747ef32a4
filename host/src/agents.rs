//! What each adapter finds on this machine: all at once, remembered for a day or until something it
//! stands on has changed.

pub(crate) mod cache;
mod fingerprint;

use std::path::PathBuf;
use std::time::Instant;

use od_protocol::{AuthState, DetectAdapterParams, DetectAdapterResult, ErrorObject, Manifest};
use tokio::task::JoinSet;

use crate::discover::Adapter;
use crate::error::HostError;
use crate::host::Host;
use crate::plugin::process;
use cache::AgentsCache;
use fingerprint::Surroundings;

/// Whether a remembered result is good enough.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Refresh {
    /// Yes, while nothing it stands on has changed.
    #[default]
    WhenStale,
    /// No: look again.
    Always,
}

/// One agent: an adapter and what it found.
#[derive(Debug, Clone)]
pub struct Agent {
    /// The adapter's id.
    pub id: String,
    /// The adapter's executable.
    pub adapter_path: PathBuf,
    /// What the adapter says about itself.
    pub manifest: Manifest,
    /// What it found, or why it could not tell.
    pub detected: Result<DetectAdapterResult, HostError>,
}

impl Agent {
    /// The agent CLI is there and not too old.
    pub fn is_installed(&self) -> bool {
        self.detected
            .as_ref()
            .is_ok_and(|detected| detected.installed && detected.meets_min != Some(false))
    }

    /// A run would be let in, as far as can be told.
    pub fn may_run(&self) -> bool {
        let let_in = |state: AuthState| matches!(state, AuthState::Ok | AuthState::Unknown);
        self.is_installed() && self.detected.as_ref().is_ok_and(|found| let_in(found.auth.state))
    }
}

/// What an adapter answered, or why it did not.
type Detection = Result<DetectAdapterResult, ErrorObject>;

/// Asks all adapters at once. One that hangs costs its own limit and delays no other.
pub(crate) async fn detect_all(host: &Host, refresh: Refresh) -> Vec<Agent> {
    let adapters = host.discover().await.adapters;
    let surroundings = Surroundings::look(host.settings());
    let mut cache = AgentsCache::read(&host.home().agents_file());
    let mut agents = Vec::with_capacity(adapters.len());
    let mut asked = JoinSet::new();
    for adapter in adapters {
        let known = match refresh {
            Refresh::Always => None,
            Refresh::WhenStale => cache.get(&adapter, &surroundings),
        };
        match known {
            Some(detection) => agents.push(agent(adapter, detection)),
            None => drop(asked.spawn(detect(host.clone(), adapter, refresh))),
        }
    }
    let mut ended = None;
    while let Some(answer) = asked.join_next().await {
        let Ok((adapter, detection, end)) = answer else { continue };
        ended = [ended, end].into_iter().flatten().min();
        cache.put(&adapter, &detection, &surroundings);
        agents.push(agent(adapter, detection));
    }
    if let Some(ended) = ended {
        process::sweep(ended).await;
    }
    cache.save();
    agents.sort_by(|left, right| left.id.cmp(&right.id));
    agents
}

async fn detect(
    host: Host,
    adapter: Adapter,
    refresh: Refresh,
) -> (Adapter, Detection, Option<process::Ended>) {
    let begun = Instant::now();
    let plugin = match host.launch(&adapter).await {
        Ok(plugin) => plugin,
        Err(error) => return (adapter, Err(error), None),
    };
    let params = DetectAdapterParams { refresh: refresh == Refresh::Always };
    let detection = plugin.call(params).await;
    host.telemetry().detected(&adapter.id, begun.elapsed());
    let ended = plugin.stop().await;
    (adapter, detection, Some(ended))
}

fn agent(adapter: Adapter, detection: Detection) -> Agent {
    Agent {
        id: adapter.id,
        adapter_path: adapter.path,
        manifest: adapter.manifest,
        detected: detection.map_err(HostError::from),
    }
}
