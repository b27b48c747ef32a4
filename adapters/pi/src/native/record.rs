//! Everything that is no message: the session, tools at work, retries, replies, dialogs.

use serde::Deserialize;
use serde_json::Value;

/// What every line has.
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
    /// Its input, as it is used.
    pub args: Value,
    /// With `…_update`: the result so far.
    pub partial_result: Outcome,
    /// With `…_end`: the result.
    pub result: Outcome,
    /// With `…_end`: it failed.
    pub is_error: bool,
}

/// What a tool gives back.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Outcome {
    /// Blocks of text and pictures.
    pub content: Value,
    /// The tool's own account: `exitCode`, `patch`, `resolvedPath`, ….
    pub details: Value,
}

/// `agent_end`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct AgentEndLine {
    /// The failed request will be tried again.
    pub will_retry: bool,
    /// omp: nothing more will come.
    pub is_terminal: bool,
}

/// `auto_retry_start`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RetryLine {
    /// Which retry it is, from 1.
    pub attempt: u32,
    /// How many there may be.
    pub max_attempts: Option<u32>,
    /// How long it waits first; omp counts in fractions.
    pub delay_ms: Option<f64>,
    /// What failed.
    pub error_message: String,
}

/// `compaction_end`, in omp `auto_compaction_end`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct CompactionLine {
    /// What came of it; absent when nothing was done.
    pub result: Option<CompactionResult>,
    /// Nothing needed to be done.
    pub skipped: bool,
}

/// What came of a compaction.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct CompactionResult {
    /// How much the window holds now, estimated.
    pub estimated_tokens_after: Option<u64>,
}

/// `response`: the reply to a command.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ResponseLine {
    /// The command's id.
    pub id: Option<String>,
    /// Which command it was.
    pub command: String,
    /// It was taken.
    pub success: bool,
    /// What was asked for.
    pub data: Value,
    /// Why it was not taken.
    pub error: Option<String>,
}

/// The data of the reply to `get_state`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct State {
    /// The session.
    pub session_id: String,
    /// The model that is chosen.
    pub model: Option<Model>,
}

/// A model, as `get_state` and `get_available_models` tell it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Model {
    /// Its id, unique for its provider only.
    pub id: String,
    /// For people.
    pub name: Option<String>,
    /// Who offers it.
    pub provider: String,
    /// It can think.
    pub reasoning: bool,
    /// How much it can read at once.
    pub context_window: Option<u64>,
}

/// `extension_ui_request`: the CLI or one of its extensions asks or tells a person something.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct DialogLine {
    /// For the answer.
    pub id: String,
    /// `select`, `confirm`, `input`, `editor`; `notify`, `setStatus`, …; omp: `cancel`.
    pub method: String,
    /// What is asked.
    pub title: String,
    /// More of it.
    pub message: Option<String>,
    /// With `select`: the choices.
    pub options: Vec<Value>,
    /// With `notify`: `info`, `warning`, `error`.
    pub notify_type: Option<String>,
    /// With `cancel`: the dialog that is over.
    pub target_id: Option<String>,
}

/// omp's `notice`, and what an extension got wrong.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct NoticeLine {
    /// `info`, `warning`, `error`.
    pub level: String,
    /// For people.
    pub message: String,
    /// With `extension_error`: what happened.
    pub error: Option<String>,
    /// Who says it.
    pub source: Option<String>,
}

/// omp: a prompt that was a command of its own and reached no model.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PromptResultLine {
    /// The model works on it.
    pub agent_invoked: bool,
}
