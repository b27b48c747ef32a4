//! Retries by the same agent and fallback to another agent. Both are off unless a client requests them.

use serde::{Deserialize, Serialize};

use crate::{ErrorKind, Handover};

/// Other agents that may continue the run when one fails. Every switch is an event
/// `agent_switched`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FallbackPolicy {
    /// The agents in this order, each at most once.
    pub agents: Vec<String>,
    /// The error kinds that cause a switch. Absent means those that another agent may not have: a
    /// missing CLI or login, a crash, a limit, an unreachable provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<Vec<ErrorKind>>,
    /// What the next agent receives; absent means the transcript.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handover: Option<Handover>,
}

/// Whether the same agent may retry. Every retry is an event `retry`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct RetryPolicy {
    /// The maximum number of attempts of one agent, including the first; absent means 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u32>,
    /// The error kinds that cause a retry. Absent means transient ones: a rate limit, an
    /// unreachable provider, a crash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<Vec<ErrorKind>>,
    /// The maximum wait for a reported reset; the host does not wait for a later one. Absent means
    /// one hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_wait_ms: Option<u64>,
    /// The first pause when no reset is reported; it doubles each time. Absent means one second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backoff_ms: Option<u64>,
}
