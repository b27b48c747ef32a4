//! The host itself.

use serde::{Deserialize, Serialize};

use crate::ProtocolRange;

/// Parameters of `host/info`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GetHostInfoParams {}

/// The limits of the host.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct HostLimits {
    /// The maximum number of concurrent runs.
    pub max_runs: u32,
    /// The maximum number of concurrent runs of one agent, unless its settings define another.
    pub max_runs_per_agent: u32,
    /// The maximum number of queued runs.
    pub max_queued: u32,
    /// The maximum size of a request.
    pub max_request_bytes: u64,
    /// The maximum number of calls per second of one client.
    pub max_calls_per_second: u32,
}

/// Result of `host/info`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct HostStatus {
    /// The name of the program, always `od-host`.
    pub name: String,
    /// The version.
    pub version: String,
    /// The major of this API.
    pub api: u32,
    /// The supported majors of the adapter protocol.
    pub protocol: ProtocolRange,
    /// The process id of the host.
    pub pid: u32,
    /// The start time in milliseconds since 1970.
    pub started_at: u64,
    /// The folder of the host's files.
    pub home: String,
    /// The platform, such as `linux-x86_64`.
    pub platform: String,
    /// The number of running runs of this process.
    pub running: u32,
    /// The number of queued runs.
    pub queued: u32,
    /// Whether the host rejects new runs because it is shutting down.
    pub draining: bool,
    /// The folders that runs may work in.
    pub roots: Vec<String>,
    /// The limits of the host.
    pub limits: HostLimits,
}

/// Parameters of `host/shutdown`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ShutdownHostParams {
    /// How long runs may continue before they are cancelled; absent means the value of `serve
    /// --drain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drain_ms: Option<u64>,
}

/// Result of `host/shutdown`, sent before the host exits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ShutdownHostResult {
    /// The number of running and queued runs; they end or are cancelled.
    pub runs: u32,
}
