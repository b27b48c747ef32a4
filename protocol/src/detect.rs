//! What an adapter finds on this machine: read-only, local and fast.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Capabilities;
use crate::wire_enum::wire_enum;

/// Parameters of `adapter/detect`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct DetectAdapterParams {
    /// Look again instead of trusting a cache; slow status commands of the agent CLI may run.
    pub refresh: bool,
}

wire_enum! {
    /// Whether a run would be let in.
    pub enum AuthState, unknown => Unknown {
        /// A credential is there and has not run out.
        Ok = "ok",
        /// There is none.
        Missing = "missing",
        /// It has run out.
        Expired = "expired",
        /// It cannot be told without asking the provider.
        Unknown = "unknown",
    }
}

wire_enum! {
    /// The installed version against the one the adapter was tested with.
    pub enum TestedVersion, unknown => Newer {
        /// The very same.
        Same = "same",
        /// Newer: it should work; report what does not.
        Newer = "newer",
        /// Older, but not below the minimum.
        Older = "older",
    }
}

wire_enum! {
    /// What kind of credential pays for a run. An unknown word is read as other.
    pub enum CredentialKind, unknown => Other {
        /// A subscription the person logged in with.
        Subscription = "subscription",
        /// An API key, billed by use.
        ApiKey = "api_key",
        /// A bearer token set by hand.
        Token = "token",
        /// A cloud account (Bedrock, Vertex, …).
        Cloud = "cloud",
        /// A helper command that prints a key.
        Helper = "helper",
        /// Nothing is paid.
        None = "none",
        /// Something else.
        Other = "other",
    }
}

/// Which credential pays. It names a variable or a file, never a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Credential {
    /// The kind.
    pub kind: CredentialKind,
    /// The environment variable, file or plan it comes from.
    pub name: String,
}

/// The state of the login.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuthStatus {
    /// Whether a run would be let in.
    pub state: AuthState,
    /// How one is logged in (`oauth`, `api_key`, …).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Which credential would pay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<Credential>,
    /// When it runs out, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<u64>,
    /// What to type to mend it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guidance: Option<String>,
}

/// One thing that was looked at, and what it showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// What was looked at: `path`, `well_known_dir`, `config_dir`, `env`, `auth_file`, `version`, ….
    pub signal: String,
    /// Where: a folder, a file or the name of a variable. Never a value of one.
    pub subject: String,
    /// It was there.
    pub found: bool,
    /// More, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// Result of `adapter/detect`. "Not installed" is a result, not an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DetectAdapterResult {
    /// The agent CLI is there.
    pub installed: bool,
    /// The file that a run would start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Its version, as it states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// At least the minimum; null when the version cannot be read.
    pub meets_min: Option<bool>,
    /// Against the version tested with; absent when the version cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tested_version: Option<TestedVersion>,
    /// The agent CLI's settings folder, when it exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_dir: Option<String>,
    /// Where it reads skills from, when it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skills_dir: Option<String>,
    /// The state of the login.
    pub auth: AuthStatus,
    /// What was looked at.
    #[serde(default)]
    pub evidence: Vec<Evidence>,
    /// What works with the installed version: a part of what `initialize` declared.
    pub capabilities: Capabilities,
    /// What to type to install or upgrade.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guidance: Option<String>,
}

wire_enum! {
    /// How the adapter feels. An unknown word is read as degraded.
    pub enum HealthStatus, unknown => Degraded {
        /// Runs should work.
        Ok = "ok",
        /// Runs may work.
        Degraded = "degraded",
        /// Runs cannot work.
        Unavailable = "unavailable",
    }
}

/// Parameters of `adapter/health`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HealthAdapterParams {}

/// Result of `adapter/health`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HealthAdapterResult {
    /// In one word.
    pub status: HealthStatus,
    /// In one sentence.
    pub message: String,
    /// Figures: open runs, versions.
    #[serde(default)]
    pub details: crate::JsonObject,
}
