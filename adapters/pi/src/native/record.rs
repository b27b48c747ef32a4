//! Lines that are not messages: session, running tools, retries, replies, dialogs.

use serde::Deserialize;
use serde_json::Value;

/// The field that every line has.
#[derive(Debug, Deserialize)]
pub struct Head {
    /// `session`, `message_update`, `agent_end`, `response`, ….
    #[serde(rename = "type")]
    pub kind: String,
}

/// `session`: the first line of `--mode json`, and of a session's file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct SessionLine {
    /// Its id.
    pub id: String,
    /// Where it runs.
    pub cwd: Option<String>,
}

/// `tool_execution_start`, `tool_execution_update`, `tool_execution_end`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ExecutionLine {
    /// The call.
    pub tool_call_id: String,
    /// The tool.
    pub tool_name: String,
    /// Its input.
    pub args: Value,
    /// With `…_update`: the result so far.
    pub partial_result: Outcome,
    /// With `…_end`: the result.
    pub result: Outcome,
    /// With `…_end`: it failed.
    pub is_error: bool,
}

/// The result of a tool.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Outcome {
    /// Blocks of text and images.
    pub content: Value,
    /// Details: `exitCode`, `patch`, `resolvedPath`, ….
    pub details: Value,
}

/// `agent_end`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct AgentEndLine {
    /// Whether the failed request is retried.
    pub will_retry: bool,
    /// omp: whether nothing more follows.
    pub is_terminal: bool,
}

/// `auto_retry_start`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RetryLine {
    /// Number of the retry, from 1.
    pub attempt: u32,
    /// The maximum number of retries.
    pub max_attempts: Option<u32>,
    /// The wait before it in milliseconds; a fraction in omp.
    pub delay_ms: Option<f64>,
    /// The error.
    pub error_message: String,
}

/// `compaction_end`, in omp `auto_compaction_end`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct CompactionLine {
    /// The result; absent if nothing was done.
    pub result: Option<CompactionResult>,
    /// Whether the compaction was skipped.
    pub skipped: bool,
}

/// The result of a compaction.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct CompactionResult {
    /// The estimated number of tokens in the context.
    pub estimated_tokens_after: Option<u64>,
}

/// `response`: the reply to a command.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ResponseLine {
    /// The command's id.
    pub id: Option<String>,
    /// The command.
    pub command: String,
    /// Whether it succeeded.
    pub success: bool,
    /// The result.
    pub data: Value,
    /// Why it failed.
    pub error: Option<String>,
}

/// The data of the reply to `get_state`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct State {
    /// The session.
    pub session_id: String,
    /// The selected model.
    pub model: Option<Model>,
}

/// A model in the replies to `get_state` and `get_available_models`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Model {
    /// Its id, unique only within its provider.
    pub id: String,
    /// Its display name.
    pub name: Option<String>,
    /// Its provider.
    pub provider: String,
    /// Whether it can think.
    pub reasoning: bool,
    /// Its context window, in tokens.
    pub context_window: Option<u64>,
}

/// `extension_ui_request`: a dialog or notification of the CLI or of an extension.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct DialogLine {
    /// The id that the answer repeats.
    pub id: String,
    /// `select`, `confirm`, `input`, `editor`; `notify`, `setStatus`, …; omp: `cancel`.
    pub method: String,
    /// The question.
    pub title: String,
    /// Further text.
    pub message: Option<String>,
    /// With `select`: the choices.
    pub options: Vec<Value>,
    /// With `notify`: `info`, `warning`, `error`.
    pub notify_type: Option<String>,
    /// With `cancel`: the withdrawn dialog.
    pub target_id: Option<String>,
}

/// omp's `notice`, and errors of extensions.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct NoticeLine {
    /// `info`, `warning`, `error`.
    pub level: String,
    /// The text.
    pub message: String,
    /// With `extension_error`: the error.
    pub error: Option<String>,
    /// Where it comes from.
    pub source: Option<String>,
}

/// omp: the result of a prompt that may be a command of the CLI.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PromptResultLine {
    /// Whether the prompt reached the model.
    pub agent_invoked: bool,
}
