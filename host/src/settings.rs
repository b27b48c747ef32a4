//! `settings.toml`: the user's settings. Every value has a default, so the file may be absent.

mod file;
mod serve;

pub use serve::ServeSettings;

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::HostError;

/// All settings.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Settings {
    /// How long runs are kept.
    pub retention: Retention,
    /// How many runs a service executes and queues.
    pub limits: LimitSettings,
    /// Which adapters may be executed.
    pub trust: Trust,
    /// Which variables adapters get in addition to the protocol's list.
    pub environment: EnvironmentSettings,
    /// The address and limits of `od-host serve`.
    pub serve: ServeSettings,
    /// Where traces are sent.
    pub telemetry: TelemetrySettings,
    /// Settings of one agent, by its id.
    pub agents: BTreeMap<String, AgentSettings>,
}

/// How long runs are kept. A running run is never removed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Retention {
    /// Runs older than this are removed; 0 keeps all.
    pub days: u32,
    /// The number of newest runs to keep; 0 keeps all.
    pub max_runs: usize,
}

impl Default for Retention {
    fn default() -> Self {
        Self { days: 30, max_runs: 1000 }
    }
}

/// How many runs a service executes and queues. Runs of the command line do not count.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct LimitSettings {
    /// Concurrent runs.
    pub max_runs: NonZeroU32,
    /// Concurrent runs of one agent, unless its own settings override it.
    pub max_runs_per_agent: NonZeroU32,
    /// Queued runs; with 0 a run starts at once or is rejected.
    pub max_queued: u32,
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self {
            max_runs: NonZeroU32::new(32).expect("32 is not zero"),
            max_runs_per_agent: NonZeroU32::new(8).expect("8 is not zero"),
            max_queued: 1000,
        }
    }
}

/// Which adapters may be executed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Trust {
    /// The policy.
    pub policy: TrustPolicy,
    /// With `pinned`: sha256 of the executables that may run, in hex.
    pub pinned: Vec<String>,
}

/// The trust policy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TrustPolicy {
    /// Trusts an executable that only the user or root could have written.
    #[default]
    Path,
    /// Executes only files whose sha256 is listed; all others are reported but not executed.
    Pinned,
}

/// Which variables adapters get in addition to the protocol's list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct EnvironmentSettings {
    /// Variables that every adapter gets.
    pub allow: Vec<String>,
    /// Variables that no adapter gets, even when its manifest declares them.
    pub deny: Vec<String>,
}

/// Where traces are sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct TelemetrySettings {
    /// The collector, such as `http://localhost:4318`; absent sends nothing, unless a variable of OpenTelemetry names a
    /// collector.
    pub otlp_endpoint: Option<String>,
}

/// Settings of one agent.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct AgentSettings {
    /// The path of the agent CLI; PATH is not searched.
    pub cli_path: Option<PathBuf>,
    /// Additional variables for this adapter.
    pub allow_env: Vec<String>,
    /// Concurrent runs of this agent in a service; absent means `limits.maxRunsPerAgent`.
    pub max_runs: Option<NonZeroU32>,
    /// Options as described by the manifest's `configSchema`.
    pub options: od_protocol::JsonObject,
}

impl Settings {
    /// Reads a settings file; an absent one gives the defaults.
    ///
    /// # Errors
    /// When the file cannot be read, when another user could have written it, or when a value is not valid; the message
    /// has its line and key.
    pub fn read(path: &Path) -> Result<Self, HostError> {
        file::read(path)
    }

    /// The settings of one agent, or the defaults.
    pub fn agent(&self, adapter_id: &str) -> AgentSettings {
        self.agents.get(adapter_id).cloned().unwrap_or_default()
    }
}
