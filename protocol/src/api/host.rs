//! The host itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ProtocolRange;

/// Parameters of `host/info`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GetHostInfoParams {}

/// What the host lets through.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HostLimits {
    /// Runs at the same time.
    pub max_runs: u32,
    /// Runs at the same time of one agent, unless its settings say otherwise.
    pub max_runs_per_agent: u32,
    /// Runs that wait.
    pub max_queued: u32,
    /// The largest request.
    pub max_request_bytes: u64,
    /// Calls of one client in a second.
    pub max_calls_per_second: u32,
}

/// Result of `host/info`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HostStatus {
    /// Always `od-host`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The major of this API.
    pub api: u32,
    /// The majors of the adapter protocol.
    pub protocol: ProtocolRange,
    /// The host's process.
    pub pid: u32,
    /// In milliseconds since 1970.
    pub started_at: u64,
    /// The host's folder.
    pub home: String,
    /// Such as `linux-x86_64`.
    pub platform: String,
    /// Runs that are going on in this process.
    pub running: u32,
    /// Runs that wait.
    pub queued: u32,
    /// It takes no more runs.
    pub draining: bool,
    /// The folders that runs may work in.
    pub roots: Vec<String>,
    /// What the host lets through.
    pub limits: HostLimits,
}

/// Parameters of `host/shutdown`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ShutdownHostParams {
    /// How long runs may go on before they are cancelled; absent means as long as the host was told when it was started (`serve --drain`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drain_ms: Option<u64>,
}

/// Result of `host/shutdown`, sent before the host ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShutdownHostResult {
    /// Runs that are going on or wait; they end or are cancelled.
    pub runs: u32,
}
