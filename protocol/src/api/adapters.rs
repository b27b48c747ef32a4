//! Adapters: the executables and their trust.

use serde::{Deserialize, Serialize};

use crate::InstallMethod;

/// Parameters of `adapters/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ListAdaptersParams {}

/// An adapter in use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UsedAdapter {
    /// The agent id.
    pub id: String,
    /// The name for people.
    pub display_name: String,
    /// The version.
    pub version: String,
    /// The executable.
    pub path: String,
    /// Where the adapter was found: `adapterDir`, `adapterPath`, `besideHost`, `userFolder`,
    /// `path`.
    pub origin: String,
    /// The SHA-256 of the executable in hex.
    pub sha256: String,
    /// Whether the executable is pinned as trusted.
    pub pinned: bool,
}

/// An adapter that an earlier one of the same name hides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct HiddenAdapter {
    /// The agent id.
    pub id: String,
    /// The executable that is not used.
    pub path: String,
    /// The executable that is used.
    pub by: String,
}

/// A file or folder that was rejected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RejectedAdapter {
    /// The agent id, if the file has a valid name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The executable or folder.
    pub path: String,
    /// The violated rule, as a code for programs.
    pub rule: String,
    /// The reason, for people.
    pub reason: String,
    /// What to type or change to fix it.
    pub fix: String,
    /// The SHA-256 of the executable in hex if pinning would make it usable, as used by
    /// `adapters/trust`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// Result of `adapters/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ListAdaptersResult {
    /// Sorted by id.
    pub adapters: Vec<UsedAdapter>,
    /// Hidden adapters.
    pub hidden: Vec<HiddenAdapter>,
    /// Rejected files and folders.
    pub rejected: Vec<RejectedAdapter>,
    /// The trust policy: `path` or `pinned`.
    pub policy: String,
}

/// Parameters of `adapters/trust`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TrustAdapterParams {
    /// The SHA-256 of the executable in hex, from `adapters/list` or computed from the file.
    pub sha256: String,
    /// `false` revokes the trust; absent means true.
    #[serde(default = "yes")]
    pub trusted: bool,
}

fn yes() -> bool {
    true
}

/// Result of `adapters/trust`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TrustAdapterResult {
    /// The trust policy: `path` or `pinned`. With `path` the pins are stored but have no effect.
    pub policy: String,
    /// All pinned SHA-256 values in hex.
    pub pinned: Vec<String>,
}

/// Parameters of `adapters/install-hints`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ListInstallHintsParams {
    /// Only this agent; absent means all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

/// How to install an agent and log in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct InstallHint {
    /// The agent.
    pub agent: String,
    /// The name for people.
    pub display_name: String,
    /// The agent CLI is installed.
    pub installed: bool,
    /// Ways to install it on this platform.
    pub install: Vec<InstallMethod>,
    /// The command to log in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub login: Option<String>,
    /// A web page about the agent CLI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub homepage: Option<String>,
}

/// Result of `adapters/install-hints`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ListInstallHintsResult {
    /// Sorted by agent id.
    pub hints: Vec<InstallHint>,
}
