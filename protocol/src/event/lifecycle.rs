//! The lifecycle of a run: start, session, turns, errors, end.

use serde::{Deserialize, Serialize};

use crate::wire_enum::wire_enum;
use crate::{Credential, ErrorKind, JsonObject, SessionMode, TestedVersion, Usage};

/// Payload of `run_started`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct RunStarted {
    /// The absolute path of the executable that was started; null when nothing could be started.
    pub cli_path: Option<String>,
    /// The version of the agent CLI, as `adapter/detect` reports it; null when unknown.
    pub cli_version: Option<String>,
    /// The process id of the agent CLI; null when nothing could be started.
    pub pid: Option<u32>,
    /// The arguments of the agent CLI in their order; the executable may precede them. The prompt and secrets are
    /// omitted or replaced.
    pub argv: Vec<String>,
    /// The agent CLI's own name of the permission mode; null means its default.
    pub permission_mode: Option<String>,
    /// The credential that pays; null when unknown.
    pub credential: Option<Credential>,
    /// How the version compares to the tested one; null when unknown.
    pub tested_version: Option<TestedVersion>,
}

/// Payload of `session_started`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionStarted {
    /// The agent CLI's own session id, as used by `resume`.
    pub session_id: String,
    /// Whether the session is new, resumed or forked.
    pub mode: SessionMode,
    /// With `fork`: the id of the session that was copied; absent means not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_session_id: Option<String>,
    /// The model in use, by the agent CLI's own name; absent means not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The working folder that the agent CLI reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The available tools, by the agent CLI's own names; absent means not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// The available MCP servers; absent means not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_servers: Option<Vec<McpServerStatus>>,
}

/// An MCP server as the agent CLI reports it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct McpServerStatus {
    /// The name.
    pub name: String,
    /// The agent CLI's own status (`connected`, `failed`, …).
    pub status: String,
}

/// Payload of `turn_started`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TurnStarted {
    /// The id of the turn, as used by `run/input.expectedTurn`.
    pub turn_id: String,
}

wire_enum! {
    /// Why the model stopped (the values of ACP and two more). An unknown value means other.
    pub enum StopReason, unknown => Other {
        /// It finished its answer, or the agent CLI states no reason.
        EndTurn = "end_turn",
        /// Its answer reached the maximum length.
        MaxTokens = "max_tokens",
        /// It reached the maximum number of turns.
        MaxTurnRequests = "max_turn_requests",
        /// It refused to answer.
        Refusal = "refusal",
        /// The run or the turn was cancelled, or a time limit stopped it.
        Cancelled = "cancelled",
        /// An error ended the turn.
        Error = "error",
        /// Anything else.
        Other = "other",
    }
}

/// Payload of `turn_ended`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TurnEnded {
    /// The turn.
    pub turn_id: String,
    /// Why the turn ended.
    pub stop_reason: StopReason,
}

/// Payload of `status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// A short name: `requesting`, `waiting`, `compacting`, ….
    pub phase: String,
    /// More details, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The time to the first token, if the agent CLI reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttft_ms: Option<u64>,
}

/// Payload of `error`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ErrorEvent {
    /// The kind.
    pub kind: ErrorKind,
    /// What failed, on what and why: lowercase, without a final dot and without secrets.
    pub message: String,
    /// What to type or change to fix it. Present for `auth_*` and `cli_not_found`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Whether the error ends the run: `done` follows.
    pub fatal: bool,
    /// Whether the same run may succeed later without a change: true for `rate_limited`, false for `auth_*`,
    /// `config_invalid`, `model_unknown`, `context_exceeded` and `cli_not_found`.
    #[serde(default)]
    pub retryable: bool,
    /// Further details, never a secret. With `timeout`: `which` is `start`, `idle` or `total`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<JsonObject>,
}

impl ErrorEvent {
    /// Creates an error that ends the run.
    pub fn fatal(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: None,
            fatal: true,
            retryable: false,
            data: None,
        }
    }

    /// Adds the hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

wire_enum! {
    /// How a run ended. An unknown value means failed.
    pub enum DoneStatus, unknown => Failed {
        /// The agent CLI itself reported that it finished.
        Completed = "completed",
        /// An error ended the run; a fatal `error` precedes `done`.
        Failed = "failed",
        /// The run was cancelled, by `run/cancel`, `shutdown` or the agent CLI itself.
        Cancelled = "cancelled",
        /// A time limit of `run/start.timeouts` was reached.
        TimedOut = "timed_out",
    }
}

wire_enum! {
    /// The evidence for the status. An unknown value means the weakest.
    pub enum DoneEvidence, unknown => ExitCode {
        /// The agent CLI's own final message.
        NativeResult = "native_result",
        /// The model's stop reason.
        StopReason = "stop_reason",
        /// Only the exit code of the agent CLI; never sufficient for `completed`.
        ExitCode = "exit_code",
        /// The adapter or the host stopped the run.
        Watchdog = "watchdog",
        /// A signal ended the agent CLI.
        Signal = "signal",
    }
}

/// Payload of `done`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Done {
    /// How the run ended.
    pub status: DoneStatus,
    /// Why the model stopped; `end_turn` if the run completed and the agent CLI states no reason.
    pub stop_reason: StopReason,
    /// With `failed` and `timed_out`: the kind of the preceding fatal `error`; otherwise absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<ErrorKind>,
    /// The evidence for the status.
    pub evidence: DoneEvidence,
    /// The session id of the last `session_started`; absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The exit code of the agent CLI's process; absent when a signal ended it or the adapter does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended the agent CLI's process, also if the adapter sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// The time from the receipt of `run/start` to `done`.
    pub duration_ms: u64,
    /// Totals of the run.
    pub totals: Totals,
}

/// Totals of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Totals {
    /// The UTF-8 bytes of all `text_delta`, discarded messages excluded.
    pub text_bytes: u64,
    /// The number of `tool_call_started`.
    pub tool_calls: u64,
    /// The number of different paths in `file_change`.
    pub files_changed: u64,
    /// The `usage` of scope `run`; absent if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// `costUsd` of the `usage` of scope `run`; absent if the agent CLI reported none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}
