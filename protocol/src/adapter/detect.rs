//! `adapter/detect` and `adapter/health`.

use serde::{Deserialize, Serialize};

use crate::{AuthStatus, Capabilities, Evidence, HealthStatus, JsonObject, TestedVersion};

/// Parameters of `adapter/detect`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct DetectAdapterParams {
    /// Ignore cached results and read the state of the machine again. Slow status commands of the agent CLI may run.
    pub refresh: bool,
}

/// Result of `adapter/detect`. "Not installed" is a result, not an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DetectAdapterResult {
    /// Whether an executable file of the agent CLI exists at `config.cliPath`, or on this machine without it.
    pub installed: bool,
    /// The absolute path of the executable that a run would start; absent when not installed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The version of the installed agent CLI; absent when it cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Whether the version is at least `cli.versionMin`, compared number by number; null when the version cannot be
    /// read.
    pub meets_min: Option<bool>,
    /// How the version compares to `cli.versionTested`, number by number; absent when one of them is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tested_version: Option<TestedVersion>,
    /// The settings folder of the agent CLI, if it exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_dir: Option<String>,
    /// The folder from which the agent CLI reads skills, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skills_dir: Option<String>,
    /// The state of the login.
    pub auth: AuthStatus,
    /// What was checked.
    #[serde(default)]
    pub evidence: Vec<Evidence>,
    /// What works with the installed version: a subset of what `initialize` declared.
    pub capabilities: Capabilities,
    /// The command to install or upgrade.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guidance: Option<String>,
}

/// Parameters of `adapter/health`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HealthAdapterParams {}

/// Result of `adapter/health`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct HealthAdapterResult {
    /// The status.
    pub status: HealthStatus,
    /// A one-sentence description.
    pub message: String,
    /// Details such as open runs and versions.
    #[serde(default)]
    pub details: JsonObject,
}
