//! `settings.toml`: what the user may change. Every value has a default, so the file may be absent.

mod file;

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::HostError;
use crate::serve::ServeSettings;

/// All settings.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Settings {
    /// How long runs are kept.
    pub retention: Retention,
    /// How many runs a service lets go on or wait.
    pub limits: LimitSettings,
    /// Which adapters may be executed.
    pub trust: Trust,
    /// Which variables adapters get beyond the protocol's list.
    pub environment: EnvironmentSettings,
    /// What `od-host serve` lets through.
    pub serve: ServeSettings,
    /// What is told to the outside.
    pub telemetry: TelemetrySettings,
    /// Settings of one agent, by its id.
    pub agents: BTreeMap<String, AgentSettings>,
}

/// How long runs are kept. A run that is still going is never removed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Retention {
    /// Runs older than this are removed; 0 keeps them for ever.
    pub days: u32,
    /// Only so many of the newest are kept; 0 keeps all.
    pub max_runs: usize,
}

impl Default for Retention {
    fn default() -> Self {
        Self { days: 30, max_runs: 1000 }
    }
}

/// How many runs a service lets go on or wait. A run that is started on the command line does not count.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct LimitSettings {
    /// Runs at the same time.
    pub max_runs: NonZeroU32,
    /// Runs at the same time of one agent, unless its own settings say otherwise.
    pub max_runs_per_agent: NonZeroU32,
    /// Runs that wait; 0 means that a run starts at once or is refused.
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
    /// The rule.
    pub policy: TrustPolicy,
    /// With `pinned`: sha256 of the executables that may run, in hex.
    pub pinned: Vec<String>,
}

/// The rule of trust.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TrustPolicy {
    /// An executable in a place only the user or root can write is trusted.
    #[default]
    Path,
    /// Only listed hashes run; anything else is listed, not executed.
    Pinned,
}

/// Which variables adapters get beyond the protocol's list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct EnvironmentSettings {
    /// Names that every adapter gets.
    pub allow: Vec<String>,
    /// Names that no adapter gets, even when its manifest asks for them.
    pub deny: Vec<String>,
}

/// What is told to the outside.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct TelemetrySettings {
    /// Where traces go, such as `http://localhost:4318`; absent means nowhere, unless the variables of OpenTelemetry
    /// say otherwise.
    pub otlp_endpoint: Option<String>,
}

/// Settings of one agent.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct AgentSettings {
    /// The agent CLI to use, exactly: no search on PATH.
    pub cli_path: Option<PathBuf>,
    /// Further variables this adapter gets.
    pub allow_env: Vec<String>,
    /// Runs at the same time that a service lets go on; absent means `limits.maxRunsPerAgent`.
    pub max_runs: Option<NonZeroU32>,
    /// What the manifest's `configSchema` describes.
    pub options: od_protocol::JsonObject,
}

impl Settings {
    /// Reads a settings file; an absent one gives the defaults.
    ///
    /// # Errors
    /// When the file cannot be read, others could have written it, or something in it cannot be used: with its line
    /// and key.
    pub fn read(path: &Path) -> Result<Self, HostError> {
        file::read(path)
    }

    /// The settings of one agent; the defaults when there are none.
    pub fn agent(&self, adapter_id: &str) -> AgentSettings {
        self.agents.get(adapter_id).cloned().unwrap_or_default()
    }
}
