//! The frame of a run: start, session, turns, errors, end.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::wire_enum::wire_enum;
use crate::{Credential, ErrorKind, JsonObject, SessionMode, TestedVersion, Usage};

/// Payload of `run_started`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RunStarted {
    /// The file that was started; null when nothing could be.
    pub cli_path: Option<String>,
    /// Its version; null when unknown.
    pub cli_version: Option<String>,
    /// Its process; null when nothing could be started.
    pub pid: Option<u32>,
    /// Its arguments, without the prompt and without secrets.
    pub argv: Vec<String>,
    /// The agent CLI's own name for the mode; null means its default.
    pub permission_mode: Option<String>,
    /// Who pays; null when it cannot be told.
    pub credential: Option<Credential>,
    /// Against the version the adapter was tested with; null when unknown.
    pub tested_version: Option<TestedVersion>,
}

/// Payload of `session_started`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionStarted {
    /// The native id: what `resume` takes.
    pub session_id: String,
    /// New, resumed or forked.
    pub mode: SessionMode,
    /// With `fork`: whose copy it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_session_id: Option<String>,
    /// The model in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Where the agent says it works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The tools it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// The MCP servers it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_servers: Option<Vec<McpServerStatus>>,
}

/// An MCP server as the agent CLI sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct McpServerStatus {
    /// Its name.
    pub name: String,
    /// The agent CLI's own word (`connected`, `failed`, …).
    pub status: String,
}

/// Payload of `turn_started`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnStarted {
    /// Names the turn; `run/input.expectedTurn` takes it.
    pub turn_id: String,
}

wire_enum! {
    /// Why the model stopped (the words of ACP and two of ours). An unknown word is other.
    pub enum StopReason, unknown => Other {
        /// It was done.
        EndTurn = "end_turn",
        /// Its answer grew too long.
        MaxTokens = "max_tokens",
        /// It took too many turns.
        MaxTurnRequests = "max_turn_requests",
        /// It declined.
        Refusal = "refusal",
        /// It was told to.
        Cancelled = "cancelled",
        /// Something went wrong.
        Error = "error",
        /// Something else.
        Other = "other",
    }
}

/// Payload of `turn_ended`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnEnded {
    /// The turn.
    pub turn_id: String,
    /// Why it is over.
    pub stop_reason: StopReason,
}

/// Payload of `status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// A short word: `requesting`, `waiting`, `compacting`, ….
    pub phase: String,
    /// More, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// How long the first token took, when the agent CLI says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttft_ms: Option<u64>,
}

/// Payload of `error`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorEvent {
    /// The kind.
    pub kind: ErrorKind,
    /// What was tried, on what, why it failed.
    pub message: String,
    /// What to type or change now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The run ends because of it.
    pub fatal: bool,
    /// The same run may succeed later without a change.
    #[serde(default)]
    pub retryable: bool,
    /// Anything else worth keeping, never a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<JsonObject>,
}

impl ErrorEvent {
    /// An error that ends the run.
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

    /// Adds what to type or change now.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

wire_enum! {
    /// How a run ended. An unknown word is a failure.
    pub enum DoneStatus, unknown => Failed {
        /// The agent CLI itself said that it is done.
        Completed = "completed",
        /// Something went wrong.
        Failed = "failed",
        /// It was told to stop.
        Cancelled = "cancelled",
        /// A limit of time ran out.
        TimedOut = "timed_out",
    }
}

wire_enum! {
    /// What the verdict stands on. An unknown word is read as the weakest.
    pub enum DoneEvidence, unknown => ExitCode {
        /// The agent CLI's own last message.
        NativeResult = "native_result",
        /// The model's stop reason.
        StopReason = "stop_reason",
        /// Only the exit code.
        ExitCode = "exit_code",
        /// The adapter or host stopped it.
        Watchdog = "watchdog",
        /// A signal ended it.
        Signal = "signal",
    }
}

/// Payload of `done`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Done {
    /// How it ended.
    pub status: DoneStatus,
    /// Why the model stopped.
    pub stop_reason: StopReason,
    /// With `failed` and `timed_out`: the kind of the fatal `error` before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<ErrorKind>,
    /// What the verdict stands on.
    pub evidence: DoneEvidence,
    /// The native session, when it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The agent CLI's exit code; absent when a signal ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// From `run/start` to now.
    pub duration_ms: u64,
    /// What came of it.
    pub totals: Totals,
}

/// What came of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Totals {
    /// Bytes of message text, discarded messages excluded.
    pub text_bytes: u64,
    /// Tool calls.
    pub tool_calls: u64,
    /// Different files changed.
    pub files_changed: u64,
    /// The run's usage, when it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// US dollars, when the agent CLI stated them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}
