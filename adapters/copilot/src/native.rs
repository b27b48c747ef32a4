//! Line types of `copilot --output-format json`: `{"type": …, "data": {…}}` per line. Unknown fields
//! are ignored, missing ones have a default.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// The members of every line.
#[derive(Debug, Deserialize)]
pub struct Line<'a> {
    /// `assistant.message_delta`, `tool.execution_start`, ….
    #[serde(rename = "type", borrow)]
    pub kind: Cow<'a, str>,
    /// The payload; the last line, `result`, has its members beside the type instead.
    #[serde(default, borrow)]
    pub data: Option<&'a RawValue>,
}

/// Prefix of text delta lines, which are parsed in one pass.
pub const TEXT_START: &[u8] = br#"{"type":"assistant.message_delta""#;

/// A text delta line.
#[derive(Debug, Deserialize)]
pub struct TextLine<'a> {
    /// The payload.
    #[serde(borrow)]
    pub data: Delta<'a>,
}

/// `assistant.message_start`, `assistant.message_delta`, `assistant.reasoning_delta`: borrowed
/// from the line, because this is the hot path.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Delta<'a> {
    /// The message id.
    #[serde(rename = "messageId", borrow)]
    pub message_id: Cow<'a, str>,
    /// The id of the thought.
    #[serde(rename = "reasoningId", borrow)]
    pub reasoning_id: Cow<'a, str>,
    /// The text.
    #[serde(rename = "deltaContent", borrow)]
    pub delta_content: Cow<'a, str>,
}

/// `assistant.tool_call_delta`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ToolCallDelta {
    /// The call id.
    pub tool_call_id: String,
    /// The tool's name.
    pub tool_name: String,
    /// A part of the input.
    pub input_delta: String,
}

/// `assistant.message`: the complete message.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Message {
    /// The message id.
    pub message_id: String,
    /// The complete text.
    pub content: String,
    /// The complete reasoning.
    pub reasoning_text: Option<String>,
}

/// `tool.execution_start`, `tool.shell_output`, `tool.execution_complete`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Tool {
    /// The call id.
    pub tool_call_id: String,
    /// The tool's name.
    pub tool_name: String,
    /// The input: an object, or the text of a patch.
    pub arguments: Value,
    /// The MCP server of the tool.
    pub mcp_server_name: Option<String>,
    /// A part of a command's output.
    pub text: String,
    /// `stdout` or `stderr`.
    pub stream: String,
    /// Whether the call succeeded; true for a failed command too.
    pub success: bool,
    /// The result.
    pub result: Option<ToolResult>,
    /// The error.
    pub error: Option<ToolError>,
    /// The exit of a command.
    pub shell_execution: Option<ShellExecution>,
    /// The changed files.
    pub file_edits: Vec<FileEdit>,
}

/// The result of a call.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ToolResult {
    /// The text for the model.
    pub content: String,
    /// The text for the user: a diff, for a file.
    pub detailed_content: String,
}

/// Why a call failed.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ToolError {
    /// The error text.
    pub message: String,
    /// `denied`, `rejected`, `failure`.
    pub code: String,
}

/// The exit of a command.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ShellExecution {
    /// Its exit code.
    pub exit_code: Option<i32>,
}

/// A changed file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct FileEdit {
    /// The absolute path.
    pub path: String,
    /// `create`, `edit`, `delete`, ….
    pub kind: String,
}

/// `model.call_failure`, `assistant.turn_retry`, `session.error`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct CliError {
    /// The HTTP status, if there was a response.
    pub status_code: Option<u16>,
    /// The number of the failed attempt, from 0.
    pub retry_attempt: u32,
    /// The reason of a retry: `rate_limit`, `streaming_error`, ….
    pub reason: String,
    /// `authentication`, `rate_limit`, `query`, ….
    pub error_type: String,
    /// The error text.
    pub message: String,
}

/// `session.tools_updated`, `session.mcp_servers_loaded`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Session {
    /// The model.
    pub model: Option<String>,
    /// The MCP servers and their status.
    pub servers: Vec<Server>,
}

/// An MCP server and its status.
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
    /// The exit code of the process; 0 after a signal too.
    pub exit_code: i32,
}

/// The content of `--usage-output-file`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct UsageReport {
    /// Usage of this process by model.
    pub model_metrics: std::collections::BTreeMap<String, ModelMetrics>,
    /// Input tokens of the last request, cached ones included.
    pub last_call_input_tokens: Option<u64>,
    /// Output tokens of the last request.
    pub last_call_output_tokens: Option<u64>,
}

/// Usage of one model.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ModelMetrics {
    /// Tokens.
    pub usage: ModelUsage,
}

/// Token counts; `input_tokens` includes cached tokens.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ModelUsage {
    /// Input tokens, cached ones included.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Tokens read from the cache.
    pub cache_read_tokens: u64,
    /// Tokens written to the cache.
    pub cache_write_tokens: u64,
    /// Reasoning tokens, a part of the output.
    pub reasoning_tokens: u64,
}
