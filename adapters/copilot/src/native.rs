//! The words of `copilot --output-format json`: `{"type": …, "data": {…}}` a line. Nothing here
//! decides anything: fields that are not named are ignored, missing ones have a default.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// What every line has.
#[derive(Debug, Deserialize)]
pub struct Line<'a> {
    /// `assistant.message_delta`, `tool.execution_start`, ….
    #[serde(rename = "type", borrow)]
    pub kind: Cow<'a, str>,
    /// What it says; the last line, `result`, has its words beside the type instead.
    #[serde(default, borrow)]
    pub data: Option<&'a RawValue>,
}

/// Lines with a piece of text start like this; they are read in one pass.
pub const TEXT_START: &[u8] = br#"{"type":"assistant.message_delta""#;

/// A line with a piece of text.
#[derive(Debug, Deserialize)]
pub struct TextLine<'a> {
    /// The piece.
    #[serde(borrow)]
    pub data: Delta<'a>,
}

/// `assistant.message_start`, `assistant.message_delta`, `assistant.reasoning_delta`: the hot path
/// borrows from the line.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Delta<'a> {
    /// The message.
    #[serde(rename = "messageId", borrow)]
    pub message_id: Cow<'a, str>,
    /// The thought.
    #[serde(rename = "reasoningId", borrow)]
    pub reasoning_id: Cow<'a, str>,
    /// A piece of it.
    #[serde(rename = "deltaContent", borrow)]
    pub delta_content: Cow<'a, str>,
}

/// `assistant.tool_call_delta`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ToolCallDelta {
    /// The call.
    pub tool_call_id: String,
    /// Its tool.
    pub tool_name: String,
    /// A piece of its input.
    pub input_delta: String,
}

/// `assistant.message`: the whole of what was streamed.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Message {
    /// Names it.
    pub message_id: String,
    /// All of its text.
    pub content: String,
    /// All of its thoughts.
    pub reasoning_text: Option<String>,
}

/// `tool.execution_start`, `tool.shell_output`, `tool.execution_complete`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Tool {
    /// The call.
    pub tool_call_id: String,
    /// Its tool.
    pub tool_name: String,
    /// Its input: an object, or the text of a patch.
    pub arguments: Value,
    /// The MCP server whose tool it is.
    pub mcp_server_name: Option<String>,
    /// A piece of a command's output.
    pub text: String,
    /// Where it was printed: `stdout`, `stderr`.
    pub stream: String,
    /// It worked; true for a command that failed, too.
    pub success: bool,
    /// What came out.
    pub result: Option<ToolResult>,
    /// What went wrong.
    pub error: Option<ToolError>,
    /// How a command ended.
    pub shell_execution: Option<ShellExecution>,
    /// The files it changed.
    pub file_edits: Vec<FileEdit>,
}

/// What came out of a call.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ToolResult {
    /// What the model is told.
    pub content: String,
    /// What a person is shown: a difference, for a file.
    pub detailed_content: String,
}

/// Why a call failed.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ToolError {
    /// For people.
    pub message: String,
    /// `denied`, `rejected`, `failure`.
    pub code: String,
}

/// How a command ended.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ShellExecution {
    /// Its exit code.
    pub exit_code: Option<i32>,
}

/// A file that was changed.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct FileEdit {
    /// The file, absolute.
    pub path: String,
    /// `create`, `edit`, `delete`, ….
    pub kind: String,
}

/// `model.call_failure`, `assistant.turn_retry`, `session.error`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Trouble {
    /// The HTTP status, where an answer came.
    pub status_code: Option<u16>,
    /// Which attempt failed, from 0.
    pub retry_attempt: u32,
    /// Why another one is made: `rate_limit`, `streaming_error`, ….
    pub reason: String,
    /// `authentication`, `rate_limit`, `query`, ….
    pub error_type: String,
    /// For people.
    pub message: String,
}

/// `session.tools_updated`, `session.mcp_servers_loaded`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Session {
    /// The model.
    pub model: Option<String>,
    /// MCP servers and their state.
    pub servers: Vec<Server>,
}

/// An MCP server and its state.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Server {
    /// Its name.
    pub name: String,
    /// `connected`, `failed`, ….
    pub status: String,
}

/// The last line.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ResultLine {
    /// The session.
    pub session_id: Option<String>,
    /// What the process will exit with; 0 for one that was stopped, too.
    pub exit_code: i32,
}

/// What `--usage-output-file` holds at the end.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct UsageReport {
    /// Tokens by model, of this process.
    pub model_metrics: std::collections::BTreeMap<String, ModelMetrics>,
    /// The last request, cached tokens included.
    pub last_call_input_tokens: Option<u64>,
    /// The last answer.
    pub last_call_output_tokens: Option<u64>,
}

/// What was spent on one model.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ModelMetrics {
    /// Tokens.
    pub usage: ModelUsage,
}

/// Tokens; cached ones are counted as input, too.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ModelUsage {
    /// Sent, cached ones included.
    pub input_tokens: u64,
    /// Received.
    pub output_tokens: u64,
    /// Read from the cache.
    pub cache_read_tokens: u64,
    /// Written to the cache.
    pub cache_write_tokens: u64,
    /// Thoughts, a part of what was received.
    pub reasoning_tokens: u64,
}
