//! What an adapter reports about the agent CLI on this machine: its version, login and credential.

use serde::{Deserialize, Serialize};

use crate::wire_enum::wire_enum;

wire_enum! {
    /// Whether a run would be authenticated.
    pub enum AuthState, unknown => Unknown {
        /// A credential exists, is not empty and has not expired.
        Ok = "ok",
        /// No credential exists; an empty variable is none.
        Missing = "missing",
        /// The credential has expired.
        Expired = "expired",
        /// The state cannot be determined without a request to the provider.
        Unknown = "unknown",
    }
}

wire_enum! {
    /// How the installed version compares to the one that the adapter was tested with.
    pub enum TestedVersion, unknown => Newer {
        /// The same version.
        Same = "same",
        /// Newer: it should work; report what does not work.
        Newer = "newer",
        /// Older, but at least the minimum.
        Older = "older",
    }
}

wire_enum! {
    /// The kind of credential that pays for a run. An unknown value means other.
    pub enum CredentialKind, unknown => Other {
        /// A subscription that the user logged in with.
        Subscription = "subscription",
        /// An API key, billed by use.
        ApiKey = "api_key",
        /// A bearer token that the user set.
        Token = "token",
        /// A cloud account (Bedrock, Vertex, …).
        Cloud = "cloud",
        /// A command that prints a key.
        Helper = "helper",
        /// Nothing has to be paid.
        None = "none",
        /// Anything else.
        Other = "other",
    }
}

/// The credential that pays. It names a variable or a file, never a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Credential {
    /// The kind.
    pub kind: CredentialKind,
    /// The environment variable, file or plan that it comes from.
    pub name: String,
}

/// The state of the login.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AuthStatus {
    /// Whether a run would be authenticated.
    pub state: AuthState,
    /// The login method (`oauth`, `api_key`, …).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The credential that would pay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<Credential>,
    /// When the login expires, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<u64>,
    /// The command to log in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guidance: Option<String>,
}

/// One thing that was checked, and the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// What was checked: `path`, `well_known_dir`, `config_dir`, `env`, `auth_file`, `version`, ….
    pub signal: String,
    /// Where: a folder, a file or the name of a variable. Never the value of a variable.
    pub subject: String,
    /// Whether it exists.
    pub found: bool,
    /// More details, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

wire_enum! {
    /// The health of the adapter. An unknown value means degraded.
    pub enum HealthStatus, unknown => Degraded {
        /// Runs should work.
        Ok = "ok",
        /// Runs may work.
        Degraded = "degraded",
        /// Runs cannot work.
        Unavailable = "unavailable",
    }
}
