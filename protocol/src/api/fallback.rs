//! When a run may be tried again or handed to another agent. Both are off unless a client asks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ErrorKind;
use crate::wire_enum::wire_enum;

wire_enum! {
    /// What the next agent is told of what has happened. An unknown word is the prompt only.
    pub enum Handover, unknown => Prompt {
        /// The prompt alone, as if nothing had happened.
        Prompt = "prompt",
        /// The prompt, and before it what the agent before has said and done.
        Transcript = "transcript",
    }
}

/// Other agents that may take over when one fails. Every switch is an event `agent_switched`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FallbackPolicy {
    /// In this order, each at most once.
    pub agents: Vec<String>,
    /// Only after errors of these kinds; absent means those that another agent may not have: a CLI or login that is
    /// missing, a crash, a limit, a provider that cannot be reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<Vec<ErrorKind>>,
    /// What the next agent is told; absent means the transcript.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handover: Option<Handover>,
}

/// Whether the same agent may try again. Every new attempt is an event `retry`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RetryPolicy {
    /// Attempts of one agent, the first included; absent means 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u32>,
    /// Only after errors of these kinds; absent means those that pass: a rate limit, a provider that cannot be reached,
    /// a crash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<Vec<ErrorKind>>,
    /// The longest wait for a stated reset; a later one is not waited for. Absent means an hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_wait_ms: Option<u64>,
    /// The first pause where no reset is stated; it doubles each time. Absent means a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backoff_ms: Option<u64>,
}
