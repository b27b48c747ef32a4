//! What a host watches: limits, retries, drift, notices, signs of life.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ErrorKind;
use crate::api::Handover;
use crate::wire_enum::wire_enum;

/// Payload of `context`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Context {
    /// Tokens in the model's window.
    pub used_tokens: u64,
    /// How many fit; absent means not stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// The conversation was just shortened.
    #[serde(default)]
    pub compacted: bool,
}

/// Payload of `rate_limited`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RateLimited {
    /// How long to wait, when it is stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// When it is over, in milliseconds since 1970, when it is stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resets_at: Option<u64>,
    /// Which window ran out, in the provider's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<String>,
    /// Who says so: `cli`, `provider`.
    pub source: String,
}

/// Payload of `retry`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Retry {
    /// Which one, from 1.
    pub attempt: u32,
    /// How many there will be at most; absent means not stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u32>,
    /// How long until then; absent means not stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
    /// Why, in the agent CLI's words.
    pub reason: String,
}

/// Payload of `agent_switched`, which only the host sends: the run goes on with another agent, whose
/// own `run_started` (with who pays) follows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentSwitched {
    /// The agent that failed.
    pub from_agent: String,
    /// The agent that takes over.
    pub to_agent: String,
    /// Which attempt of the run this is, from 2.
    pub attempt: u32,
    /// The kind of error that caused it.
    pub error_kind: ErrorKind,
    /// Why, for people.
    pub reason: String,
    /// What the next agent is told.
    pub handover: Handover,
    /// How much of what happened is handed over, in bytes.
    #[serde(default)]
    pub handover_bytes: u64,
}

wire_enum! {
    /// What became of a skill or plugin. An unknown word is read as loaded.
    pub enum ExtensionPhase, unknown => Loaded {
        /// It is there.
        Loaded = "loaded",
        /// It was used.
        Invoked = "invoked",
    }
}

/// Payload of `skill` and `plugin`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Extension {
    /// Its name.
    pub name: String,
    /// What became of it.
    pub phase: ExtensionPhase,
    /// Where it comes from; absent means not stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Payload of `mode_changed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModeChanged {
    /// The model now in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The permission mode now in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<String>,
}

wire_enum! {
    /// How loud a notice is. An unknown word is a warning.
    pub enum NoticeLevel, unknown => Warn {
        /// For people who look for a fault.
        Debug = "debug",
        /// For everybody.
        Info = "info",
        /// Something may be wrong.
        Warn = "warn",
    }
}

/// Payload of `notice`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// How loud.
    pub level: NoticeLevel,
    /// A word for programs.
    pub code: String,
    /// A sentence for people.
    pub text: String,
    /// What to type or change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Payload of `unmapped`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Unmapped {
    /// The agent CLI's own name for it.
    pub native_type: String,
    /// The first one seen, shortened and without secrets.
    pub sample: String,
    /// How many so far.
    pub count: u64,
}

/// Payload of `heartbeat`, at least every ten seconds of silence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Heartbeat {
    /// How long the agent CLI has been silent.
    pub silent_ms: u64,
}
