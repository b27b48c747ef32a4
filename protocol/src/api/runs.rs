//! Runs: started, watched, fed, stopped, removed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FallbackPolicy, RetryPolicy};
pub use crate::run::RunTask;
use crate::wire_enum::wire_enum;
use crate::{ApprovalOutcome, ErrorKind, JsonObject, RunEventParams};

/// Parameters of `runs/start`: what an agent shall do, and how the host goes about it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StartRunsParams {
    /// The agent; absent means the active one, and without one the best that is ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The client's own name for this run: the same key and task again gives the same run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Who asks, for a fair queue: clients take turns. Absent means the connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// What to do.
    pub task: RunTask,
    /// Somebody answers approvals with `runs/respond`; otherwise the agent is told no.
    #[serde(default)]
    pub approvals: bool,
    /// Other agents that may take over; absent means none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<FallbackPolicy>,
    /// Whether the same agent may try again; absent means no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryPolicy>,
    /// How long the run may wait in the queue; absent means as long as it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_ms: Option<u64>,
}

wire_enum! {
    /// How a run stands. An unknown word is a failure.
    pub enum RunState, unknown => Failed {
        /// It waits for its turn.
        Queued = "queued",
        /// It is going on.
        Running = "running",
        /// The agent itself said that it is done.
        Completed = "completed",
        /// Something went wrong.
        Failed = "failed",
        /// It was told to stop.
        Cancelled = "cancelled",
        /// A limit of time ran out.
        TimedOut = "timed_out",
    }
}

/// Result of `runs/start`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StartRunsResult {
    /// The run.
    pub run_id: String,
    /// The agent it goes to.
    pub agent: String,
    /// How it stands.
    pub state: RunState,
    /// The run was there already: a call with the same key had started it.
    #[serde(default)]
    pub existing: bool,
    /// Its place in the queue, from 1, while it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_position: Option<u32>,
}

/// Parameters of `runs/attach`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttachRunsParams {
    /// The run, going on or over.
    pub run_id: String,
    /// The number of the first event to send; absent means 0, the first.
    #[serde(default)]
    pub from: u64,
}

/// What `runs/event` brings: one or more events, in order, without a gap.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunEvents {
    /// The events, with the run's id and their numbers. After `done` nothing comes. An empty list says that the run
    /// is over and has no event of the number that was asked for.
    pub events: Vec<RunEventParams>,
}

/// Parameters of `runs/event`: what a subscription brings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttachedEvents {
    /// What `runs/attach` answered.
    pub subscription: String,
    /// The events.
    pub result: RunEvents,
}

/// Parameters of `runs/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ListRunsParams {
    /// At most so many; absent means 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Only runs older than this one: what `next` said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Only runs of this agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Only runs that stand like this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<RunState>,
}

/// Result of `runs/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListRunsResult {
    /// The newest first.
    pub runs: Vec<RunInfo>,
    /// What `before` takes to get the next ones; absent when there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// Parameters of `runs/get`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetRunParams {
    /// The run.
    pub run_id: String,
}

/// How one run stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunInfo {
    /// The run.
    pub run_id: String,
    /// The agent that has it now.
    pub agent: String,
    /// Where the agent works.
    pub cwd: String,
    /// The first line of the prompt, shortened.
    pub prompt_preview: String,
    /// The model that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How it stands.
    pub state: RunState,
    /// Its place in the queue, from 1, while it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_position: Option<u32>,
    /// In milliseconds since 1970.
    pub started_at: u64,
    /// In milliseconds since 1970; absent while it is going on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<u64>,
    /// With `failed` and `timed_out`: what went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<ErrorKind>,
    /// The native session: what `task.session.id` takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The client's own name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// How many attempts there were so far, the first included.
    #[serde(default)]
    pub attempts: u32,
}

/// Parameters of `runs/input`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InputRunsParams {
    /// The run.
    pub run_id: String,
    /// What to say.
    pub text: String,
    /// Only while this turn runs; otherwise refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_turn: Option<String>,
}

/// Parameters of `runs/respond`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RespondRunsParams {
    /// The run.
    pub run_id: String,
    /// What `approval_requested` named.
    pub approval_id: String,
    /// Yes or no.
    pub outcome: ApprovalOutcome,
    /// With yes: the tool's input, changed; absent leaves it as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<JsonObject>,
    /// With no: why, for the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Parameters of `runs/cancel`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CancelRunsParams {
    /// The run.
    pub run_id: String,
    /// How long the agent CLI may take to stop politely; absent means 2000, 0 means at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grace_ms: Option<u64>,
}

/// Parameters of `runs/delete`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteRunsParams {
    /// The run; one that is going on is refused.
    pub run_id: String,
}

/// Result of `runs/delete`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteRunsResult {
    /// It was there and is gone.
    pub deleted: bool,
}
