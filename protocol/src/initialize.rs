//! The handshake, `ping` and `shutdown`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Capabilities, JsonObject, Marker, Meta, ProtocolRange};

/// Parameters of `initialize`. The shape is frozen for all majors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InitializeParams {
    /// The majors the host speaks.
    pub protocol: ProtocolRange,
    /// Who calls.
    pub host: HostInfo,
    /// The host's process; when it is gone the adapter stops. Absent means: watch stdin only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_pid: Option<u32>,
    /// What the host can do.
    #[serde(default)]
    pub capabilities: HostCapabilities,
    /// Limits of the host's reader.
    #[serde(default)]
    pub limits: Limits,
    /// Settings for this adapter.
    #[serde(default)]
    pub config: AdapterConfig,
    /// Custom data.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// Who calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HostInfo {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// What the host can do. A marker is an object; absent means unsupported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct HostCapabilities {
    /// Somebody answers `approval_requested`; without it the adapter never asks and denies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approvals: Option<Marker>,
}

/// Limits of the host's reader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Limits {
    /// The longest line it takes. A larger payload is shortened with `truncated`.
    pub max_line_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_line_bytes: crate::MAX_LINE_BYTES }
    }
}

/// Settings for this adapter.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AdapterConfig {
    /// The agent CLI to use, exactly: no fallback to PATH. This one rule makes third-party
    /// conformance possible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cli_path: Option<String>,
    /// A folder for the adapter's own caches; absent means: keep nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_dir: Option<String>,
    /// What the manifest's `configSchema` describes.
    #[serde(skip_serializing_if = "JsonObject::is_empty")]
    pub options: JsonObject,
}

/// Result of `initialize`. The shape is frozen for all majors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InitializeResult {
    /// The highest major both sides speak.
    pub protocol: u32,
    /// The revision of the specification the adapter follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Who answers.
    pub adapter: AdapterInfo,
    /// What it can do, as in the manifest.
    pub capabilities: Capabilities,
}

/// Who answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdapterInfo {
    /// The id: the file name after `od-adapter-`.
    pub id: String,
    /// The adapter's own version.
    pub version: String,
    /// Who ships it.
    pub vendor: String,
}

/// Parameters of `ping`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PingParams {}

/// Result of `ping`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PingResult {}

/// Parameters of `shutdown`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ShutdownParams {
    /// How long open runs may take to stop politely; absent means 2000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grace_ms: Option<u64>,
}

/// Result of `shutdown`, sent after every run has ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShutdownResult {}

/// Parameters of the notification `$/cancelRequest`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CancelRequestParams {
    /// The id of the request; it still gets a response.
    pub id: serde_json::Value,
}
