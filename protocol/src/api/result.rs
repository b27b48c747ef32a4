//! What came of a run, composed from its events.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CredentialKind, DoneEvidence, DoneStatus, ErrorKind, FileOp, StopReason, Usage};

/// Parameters of `runs/result`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetRunResultParams {
    /// The run.
    pub run_id: String,
    /// How long to wait for its end; absent means as long as it takes, 0 means not at all. When the time is over the
    /// error is `timeout`; the run goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
}

/// How a run ended, and what that stands on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunVerdict {
    /// How it ended.
    pub status: DoneStatus,
    /// Why the model stopped.
    pub stop_reason: StopReason,
    /// What the verdict stands on.
    pub evidence: DoneEvidence,
    /// With `failed` and `timed_out`: the kind of error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<ErrorKind>,
    /// What was tried, on what, why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What to type or change now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// A file the run changed: the sum of its changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangedFile {
    /// The file.
    pub path: String,
    /// What happened to it last.
    pub op: FileOp,
    /// With `rename`: where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// One attempt of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunAttempt {
    /// The agent.
    pub agent: String,
    /// The model in use, when it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What kind of credential paid, when it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<CredentialKind>,
    /// What it used, when it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Why it was not the last; absent for the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<ErrorKind>,
}

/// Result of `runs/result`: what came of a run that is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunResult {
    /// The run.
    pub run_id: String,
    /// The agent that had it last.
    pub agent: String,
    /// The text of the agent's last message.
    pub content: String,
    /// US dollars of all attempts, only when the agent CLIs state them; null means not stated, which is not zero.
    pub cost_usd: Option<f64>,
    /// From start to end, the time in the queue excluded.
    pub duration_ms: u64,
    /// What all attempts used together, when it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The files it changed, by path.
    pub files: Vec<ChangedFile>,
    /// How it ended.
    pub verdict: RunVerdict,
    /// The native session: what `task.session.id` takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The number of the last event.
    pub last_seq: u64,
    /// All attempts, in order; mostly one.
    pub attempts: Vec<RunAttempt>,
}
