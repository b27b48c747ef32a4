//! Runs: start, attach, list, input, respond, cancel, delete.

use serde::{Deserialize, Serialize};

use super::{FallbackPolicy, RetryPolicy};
use crate::wire_enum::wire_enum;
use crate::{ApprovalOutcome, ErrorKind, JsonObject, RunEventParams, TaskSpec};

/// Parameters of `runs/start`: the task, and how the host runs it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StartRunParams {
    /// The agent; absent means the active one, or the best ready one if none is active.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// An idempotency key: the same key with the same task returns the same run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The client id for a fair queue, in which clients take turns. Absent means the connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The task.
    pub task: TaskSpec,
    /// Whether the client answers approvals with `runs/respond`; otherwise they are denied.
    #[serde(default)]
    pub approvals: bool,
    /// Other agents that may continue the run; absent means none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<FallbackPolicy>,
    /// Whether the same agent may retry; absent means no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryPolicy>,
    /// The maximum time in the queue; absent means without limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_ms: Option<u64>,
}

wire_enum! {
    /// The state of a run. An unknown value means failed.
    pub enum RunState, unknown => Failed {
        /// It waits in the queue.
        Queued = "queued",
        /// It is running.
        Running = "running",
        /// The agent reported that it finished.
        Completed = "completed",
        /// An error.
        Failed = "failed",
        /// The run was cancelled.
        Cancelled = "cancelled",
        /// A time limit was reached.
        TimedOut = "timed_out",
    }
}

/// Result of `runs/start`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StartRunResult {
    /// The run.
    pub run_id: String,
    /// The agent.
    pub agent: String,
    /// The state.
    pub state: RunState,
    /// Whether the run already existed: an earlier call with the same key started it.
    #[serde(default)]
    pub existing: bool,
    /// The position in the queue, from 1, while the run is queued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_position: Option<u32>,
}

/// Parameters of `runs/attach`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AttachRunParams {
    /// The run, running or finished.
    pub run_id: String,
    /// The sequence number of the first event to send; absent means 0.
    #[serde(default)]
    pub from: u64,
}

/// Events of a run in order, without gaps.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RunEvents {
    /// The events with run id and sequence number. Nothing follows `done`. An empty list means that
    /// the run has finished and has no event with the requested sequence number.
    pub events: Vec<RunEventParams>,
}

/// Parameters of `runs/event`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AttachedEvents {
    /// The subscription id that `runs/attach` returned.
    pub subscription: String,
    /// The events.
    pub result: RunEvents,
}

/// Parameters of `runs/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ListRunsParams {
    /// The most runs to return; absent means 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Only runs older than this one: the value of `next`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Only runs of this agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Only runs in this state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<RunState>,
}

/// Result of `runs/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ListRunsResult {
    /// Newest first.
    pub runs: Vec<RunInfo>,
    /// The value of `before` for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// Parameters of `runs/get`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GetRunParams {
    /// The run.
    pub run_id: String,
}

/// The state of one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RunInfo {
    /// The run.
    pub run_id: String,
    /// The current agent of the run.
    pub agent: String,
    /// The working folder.
    pub cwd: String,
    /// The first line of the prompt, shortened.
    pub prompt_preview: String,
    /// The requested model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The state.
    pub state: RunState,
    /// The position in the queue, from 1, while the run is queued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_position: Option<u32>,
    /// The start time in milliseconds since 1970.
    pub started_at: u64,
    /// The end time in milliseconds since 1970; absent while the run is active.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<u64>,
    /// With `failed` and `timed_out`: the kind of error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<ErrorKind>,
    /// The native session id, as used by `task.session.id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The idempotency key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The number of attempts so far, including the first.
    #[serde(default)]
    pub attempts: u32,
}

/// Parameters of `runs/input`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct InputRunParams {
    /// The run.
    pub run_id: String,
    /// The text for the agent.
    pub text: String,
    /// Accept the input only while this turn runs; refuse it otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_turn: Option<String>,
}

/// Parameters of `runs/respond`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RespondRunParams {
    /// The run.
    pub run_id: String,
    /// The approval id of `approval_requested`.
    pub approval_id: String,
    /// The decision.
    pub outcome: ApprovalOutcome,
    /// With an allowing decision: the changed tool input; absent means unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<JsonObject>,
    /// With a denial: the reason, for the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Parameters of `runs/cancel`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CancelRunParams {
    /// The run.
    pub run_id: String,
    /// The grace period of the agent CLI; absent means 2000, 0 means kill immediately.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grace_ms: Option<u64>,
}

/// Parameters of `runs/delete`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DeleteRunParams {
    /// The run. An active run is an error.
    pub run_id: String,
}

/// Result of `runs/delete`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DeleteRunResult {
    /// Whether the run existed and was removed.
    pub deleted: bool,
}
