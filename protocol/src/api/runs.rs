//! Runs: started, watched, fed, stopped, removed.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FallbackPolicy, RetryPolicy};
use crate::wire_enum::wire_enum;
use crate::{
    ApprovalOutcome, Effort, ErrorKind, JsonObject, McpServer, Meta, Policy, Prompt,
    RunEventParams, SessionChoice, StartRunParams, Timeouts,
};

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

/// What an agent shall do: `run/start` without the run's id.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunTask {
    /// Where the agent works, absolute and below one of the host's roots.
    pub cwd: String,
    /// What to do.
    pub prompt: Prompt,
    /// The model; absent means the agent CLI's own default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How hard to think; absent means the agent CLI's own default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// The same as a number of tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking_budget_tokens: Option<u64>,
    /// A new session, or an old one.
    #[serde(default)]
    pub session: SessionChoice,
    /// Folders of skills.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    /// Further folders the agent may work in, absolute.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add_dirs: Vec<String>,
    /// Tools that need no approval; absent means the agent CLI's own default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_tools: Option<Vec<String>>,
    /// Tools the agent may not use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denied_tools: Option<Vec<String>>,
    /// One of the agent CLI's own modes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<String>,
    /// Rules for approvals, shell and network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// MCP servers for this run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mcp_servers: Vec<McpServer>,
    /// The final answer must fit this JSON Schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<JsonObject>,
    /// Stop after so many turns of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u32>,
    /// Variables for the agent CLI, on top of the allowlist.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Limits of time.
    #[serde(default)]
    pub timeouts: Timeouts,
    /// A file that gets the agent CLI's raw output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_path: Option<String>,
    /// What the manifest's `configSchema` describes.
    #[serde(default, skip_serializing_if = "JsonObject::is_empty")]
    pub adapter_options: JsonObject,
    /// Custom data.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl RunTask {
    /// What an adapter is told.
    pub fn into_start_run(self, run_id: String) -> StartRunParams {
        let Self {
            cwd,
            prompt,
            model,
            effort,
            thinking_budget_tokens,
            session,
            skills,
            add_dirs,
            allowed_tools,
            denied_tools,
            permission_mode,
            policy,
            mcp_servers,
            output_schema,
            max_turns,
            env,
            timeouts,
            trace_path,
            adapter_options,
            meta,
        } = self;
        StartRunParams {
            run_id,
            cwd,
            prompt,
            model,
            effort,
            thinking_budget_tokens,
            session,
            skills,
            add_dirs,
            allowed_tools,
            denied_tools,
            permission_mode,
            policy,
            mcp_servers,
            output_schema,
            max_turns,
            env,
            timeouts,
            trace_path,
            adapter_options,
            meta,
        }
    }
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
