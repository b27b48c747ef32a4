//! The handshake, `ping` and `shutdown`.

use serde::{Deserialize, Serialize};

use crate::{Capabilities, JsonObject, Marker, Meta, ProtocolRange};

/// Parameters of `initialize`. The shape is frozen for all majors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct InitializeParams {
    /// The protocol majors that the host supports.
    pub protocol: ProtocolRange,
    /// The name and version of the host.
    pub host: HostInfo,
    /// The process id of the host. The adapter stops when this process has ended. Absent means:
    /// watch stdin only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_pid: Option<u32>,
    /// The capabilities of the host.
    #[serde(default)]
    pub capabilities: HostCapabilities,
    /// Limits of the messages that the host reads.
    #[serde(default)]
    pub limits: Limits,
    /// Settings for this adapter.
    #[serde(default)]
    pub config: AdapterConfig,
    /// Custom data.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// The name and version of the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct HostInfo {
    /// The name.
    pub name: String,
    /// The version.
    pub version: String,
}

/// The capabilities of the host. A marker is an object; absent means unsupported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct HostCapabilities {
    /// The host answers `approval_requested`. Without it the adapter denies what the agent CLI requests, and
    /// reports the denial by `policy`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approvals: Option<Marker>,
}

/// Limits of the messages that the host reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Limits {
    /// The most bytes of one line with its line end, at least 65536. A larger payload is shortened and marked with
    /// `truncated`.
    pub max_line_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_line_bytes: crate::MAX_LINE_BYTES }
    }
}

/// Settings for this adapter.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct AdapterConfig {
    /// The executable of the agent CLI to use, without a fallback to PATH. This lets a conformance
    /// suite replace the agent CLI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cli_path: Option<String>,
    /// A folder for the adapter's own caches; absent means: store nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_dir: Option<String>,
    /// Options that the manifest's `configSchema` describes.
    #[serde(skip_serializing_if = "JsonObject::is_empty")]
    pub options: JsonObject,
}

/// Result of `initialize`. The shape is frozen for all majors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct InitializeResult {
    /// The highest major that both sides support.
    pub protocol: u32,
    /// The revision of the specification that the adapter follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// The id, version and vendor of the adapter.
    pub adapter: AdapterInfo,
    /// The capabilities of the manifest.
    pub capabilities: Capabilities,
}

/// The id, version and vendor of the adapter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AdapterInfo {
    /// The adapter id: the file name after `od-adapter-`.
    pub id: String,
    /// The adapter's own version.
    pub version: String,
    /// The publisher of the adapter.
    pub vendor: String,
}

/// Parameters of `ping`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PingParams {}

/// Result of `ping`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PingResult {}

/// Parameters of `shutdown`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ShutdownParams {
    /// The grace period for open runs from the receipt of `shutdown`; absent means 2000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grace_ms: Option<u64>,
}

/// Result of `shutdown`, sent after every run has ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShutdownResult {}

/// Parameters of the notification `$/cancelRequest`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CancelRequestParams {
    /// The id of the request; it still gets a response.
    pub id: serde_json::Value,
}
