//! Limits, retries, switches of agents, notices and heartbeats.

use serde::{Deserialize, Serialize};

use crate::ErrorKind;
use crate::wire_enum::wire_enum;

/// Payload of `context`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Context {
    /// Tokens in the model's context window.
    pub used_tokens: u64,
    /// The size of the context window; absent means not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Whether the conversation was just compacted.
    #[serde(default)]
    pub compacted: bool,
}

/// Payload of `rate_limited`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RateLimited {
    /// How long to wait, as the agent CLI reports it; absent means not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// When the limit ends, in milliseconds since 1970, as the agent CLI reports it; absent means not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resets_at: Option<u64>,
    /// The exhausted window, by the provider's own name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<String>,
    /// Who reported it: `cli`, `provider`.
    pub source: String,
}

/// Payload of `retry`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Retry {
    /// The number of the retry, from 1.
    pub attempt: u32,
    /// The maximum number of retries; absent means not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u32>,
    /// The time until the retry; absent means not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
    /// The reason, as the agent CLI reports it.
    pub reason: String,
}

wire_enum! {
    /// What the next agent receives about the previous attempt. An unknown value means the prompt
    /// only.
    pub enum Handover, unknown => Prompt {
        /// The prompt alone.
        Prompt = "prompt",
        /// The prompt, preceded by what the previous agent wrote and did.
        Transcript = "transcript",
    }
}

/// Payload of `agent_switched`, which only the host sends: the run continues with another agent,
/// whose own `run_started` follows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AgentSwitched {
    /// The agent that failed.
    pub from_agent: String,
    /// The agent that continues the run.
    pub to_agent: String,
    /// The number of the attempt, from 2.
    pub attempt: u32,
    /// The kind of error that caused it.
    pub error_kind: ErrorKind,
    /// The reason, for people.
    pub reason: String,
    /// What the next agent receives.
    pub handover: Handover,
    /// The size of the handover text in bytes.
    #[serde(default)]
    pub handover_bytes: u64,
}

wire_enum! {
    /// What happened to a skill or plugin. An unknown value means loaded.
    pub enum ExtensionPhase, unknown => Loaded {
        /// It was loaded.
        Loaded = "loaded",
        /// It was used.
        Invoked = "invoked",
    }
}

/// Payload of `skill` and `plugin`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Extension {
    /// The name.
    pub name: String,
    /// Whether it was loaded or used.
    pub phase: ExtensionPhase,
    /// The source; absent means not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Payload of `mode_changed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ModeChanged {
    /// The current model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The current permission mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<String>,
}

wire_enum! {
    /// The level of a notice. An unknown value means a warning.
    pub enum NoticeLevel, unknown => Warn {
        /// For debugging.
        Debug = "debug",
        /// For information.
        Info = "info",
        /// Something may be wrong.
        Warn = "warn",
    }
}

/// Payload of `notice`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// The level.
    pub level: NoticeLevel,
    /// A code for programs.
    pub code: String,
    /// A sentence for people.
    pub text: String,
    /// What to type or change to fix it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Payload of `unmapped`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Unmapped {
    /// The agent CLI's own name of the message type.
    pub native_type: String,
    /// The first occurrence, shortened and without secrets.
    pub sample: String,
    /// The number of occurrences in the run so far.
    pub count: u64,
}

/// Payload of `heartbeat`, sent at least every ten seconds without output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Heartbeat {
    /// The time since the last output of the agent CLI, or since `run/start` if there was none.
    pub silent_ms: u64,
}
