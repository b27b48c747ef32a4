//! Adapters: the executables, and which of them are trusted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::InstallMethod;

/// Parameters of `adapters/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListAdaptersParams {}

/// An adapter that is used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsedAdapter {
    /// The agent it is for.
    pub id: String,
    /// For people.
    pub display_name: String,
    /// Its version.
    pub version: String,
    /// The executable.
    pub path: String,
    /// Where it was found: `adapterDir`, `adapterPath`, `besideHost`, `userFolder`, `path`.
    pub origin: String,
    /// Of the executable, in hex.
    pub sha256: String,
    /// It is pinned as trusted.
    pub pinned: bool,
}

/// An adapter that is hidden by an earlier one of the same name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HiddenAdapter {
    /// The agent it is for.
    pub id: String,
    /// The executable that is not used.
    pub path: String,
    /// The one that is.
    pub by: String,
}

/// A file or folder that was passed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RejectedAdapter {
    /// The agent it is for, when the file has a proper name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The executable or folder.
    pub path: String,
    /// Which rule it breaks, as a word for programs.
    pub rule: String,
    /// Why, for people.
    pub reason: String,
    /// What to type or change.
    pub fix: String,
    /// Of the executable, in hex, when pinning it would make it usable: what `adapters/trust` takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// Result of `adapters/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListAdaptersResult {
    /// In the order of their ids.
    pub adapters: Vec<UsedAdapter>,
    /// Hidden by an earlier one.
    pub hidden: Vec<HiddenAdapter>,
    /// Passed over.
    pub rejected: Vec<RejectedAdapter>,
    /// The rule of trust: `path` or `pinned`.
    pub policy: String,
}

/// Parameters of `adapters/trust`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrustAdaptersParams {
    /// Of the executable, in hex: what `adapters/list` or the file itself says.
    pub sha256: String,
    /// False takes it back; absent means true.
    #[serde(default = "yes")]
    pub trusted: bool,
}

fn yes() -> bool {
    true
}

/// Result of `adapters/trust`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrustAdaptersResult {
    /// The rule of trust: `path` or `pinned`. With `path` pins are kept but decide nothing.
    pub policy: String,
    /// All that are pinned now, in hex.
    pub pinned: Vec<String>,
}

/// Parameters of `adapters/install-hints`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ListInstallHintsParams {
    /// Only this one; absent means all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

/// What to type to get an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstallHint {
    /// The agent.
    pub agent: String,
    /// For people.
    pub display_name: String,
    /// The agent CLI is there.
    pub installed: bool,
    /// Ways to install it that work on this platform.
    pub install: Vec<InstallMethod>,
    /// What to type to log in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub login: Option<String>,
    /// Where to read more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub homepage: Option<String>,
}

/// Result of `adapters/install-hints`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListInstallHintsResult {
    /// In the order of the agents' ids.
    pub hints: Vec<InstallHint>,
}
