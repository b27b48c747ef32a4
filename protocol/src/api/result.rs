//! The result of a run, composed from its events.

use serde::{Deserialize, Serialize};

use crate::{CredentialKind, DoneEvidence, DoneStatus, ErrorKind, FileOp, StopReason, Usage};

/// Parameters of `runs/result`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GetRunResultParams {
    /// The run.
    pub run_id: String,
    /// How long to wait for the end of the run; absent means without limit, 0 means not at all.
    /// After this time the error is `timeout` and the run continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
}

/// How a run ended, with the evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RunVerdict {
    /// How it ended.
    pub status: DoneStatus,
    /// Why the model stopped.
    pub stop_reason: StopReason,
    /// The evidence for the status.
    pub evidence: DoneEvidence,
    /// With `failed` and `timed_out`: the kind of error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<ErrorKind>,
    /// What failed, on what and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What to type or change to fix it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// A file that the run changed: the sum of its changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChangedFile {
    /// The file.
    pub path: String,
    /// The last operation.
    pub op: FileOp,
    /// With `rename`: the old path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// One attempt of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RunAttempt {
    /// The agent.
    pub agent: String,
    /// The model, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The kind of credential that paid, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<CredentialKind>,
    /// The usage, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The error that ended this attempt; absent for the last attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<ErrorKind>,
}

/// Result of `runs/result`: the result of a finished run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RunResult {
    /// The run.
    pub run_id: String,
    /// The last agent of the run.
    pub agent: String,
    /// The text of the agent's last message.
    pub content: String,
    /// The cost of all attempts in US dollars if the agent CLIs report it; null means not reported,
    /// which is not zero.
    pub cost_usd: Option<f64>,
    /// The time from start to end, without the time in the queue.
    pub duration_ms: u64,
    /// The total usage of all attempts, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The changed files, sorted by path.
    pub files: Vec<ChangedFile>,
    /// How it ended.
    pub verdict: RunVerdict,
    /// The native session id, as used by `task.session.id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The sequence number of the last event.
    pub last_seq: u64,
    /// All attempts in order; usually one.
    pub attempts: Vec<RunAttempt>,
}
