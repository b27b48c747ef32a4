//! The words of `claude --output-format stream-json`, as far as they are used. Nothing here
//! decides anything: fields that are not named are ignored, missing ones have a default.
//!
//! Types with a lifetime are read on the path of every delta and borrow from the line.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// What every line has.
#[derive(Debug, Deserialize)]
pub struct Head<'a> {
    /// `system`, `assistant`, `user`, `stream_event`, `result`, `control_request`, ….
    #[serde(rename = "type", borrow)]
    pub kind: Cow<'a, str>,
    /// With `system`: which.
    #[serde(default)]
    pub subtype: Option<String>,
}

/// A line of type `stream_event`: one event of the model's own stream.
#[derive(Debug, Deserialize)]
pub struct StreamLine<'a> {
    /// The event.
    #[serde(borrow)]
    pub event: StreamEvent<'a>,
    /// The call whose subagent speaks.
    #[serde(default)]
    pub parent_tool_use_id: Option<String>,
    /// How long the first token took; on `message_start`.
    #[serde(default)]
    pub ttft_ms: Option<f64>,
}

/// One event of the model's stream.
#[derive(Debug, Deserialize)]
pub struct StreamEvent<'a> {
    /// `message_start`, `content_block_start`, `content_block_delta`, ….
    #[serde(rename = "type", borrow)]
    pub kind: Cow<'a, str>,
    /// Which block of the message.
    #[serde(default)]
    pub index: usize,
    /// With `content_block_delta` and `message_delta`.
    #[serde(default, borrow)]
    pub delta: Option<Delta<'a>>,
    /// With `content_block_start`.
    #[serde(default)]
    pub content_block: Option<Block>,
    /// With `message_start`.
    #[serde(default)]
    pub message: Option<Message>,
    /// With `message_delta`.
    #[serde(default)]
    pub usage: Option<TokenUsage>,
}

/// A piece of a block.
#[derive(Debug, Deserialize)]
pub struct Delta<'a> {
    /// `text_delta`, `thinking_delta`, `input_json_delta`, `signature_delta`; absent on
    /// `message_delta`.
    #[serde(rename = "type", default, borrow)]
    pub kind: Cow<'a, str>,
    /// With `text_delta`.
    #[serde(default, borrow)]
    pub text: Cow<'a, str>,
    /// With `thinking_delta`.
    #[serde(default, borrow)]
    pub thinking: Cow<'a, str>,
    /// With `input_json_delta`.
    #[serde(default, borrow)]
    pub partial_json: Cow<'a, str>,
}

/// A message of the model: whole, one block of it, or only its frame.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Message {
    /// Names it; every block of a message carries the same.
    pub id: String,
    /// `<synthetic>` when the CLI itself wrote it.
    pub model: Option<String>,
    /// Its blocks; `user` lines may have a plain string instead.
    pub content: Value,
    /// Why the model stopped, on the last block.
    pub stop_reason: Option<String>,
    /// Tokens, as of the start of the message.
    pub usage: Option<TokenUsage>,
}

/// One block of a message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Block {
    /// `text`, `thinking`, `tool_use`, `tool_result`, `image`, ….
    #[serde(rename = "type")]
    pub kind: String,
    /// With `text`.
    pub text: String,
    /// With `thinking`.
    pub thinking: String,
    /// With `tool_use`: names the call.
    pub id: String,
    /// With `tool_use`: the tool.
    pub name: String,
    /// With `tool_use`.
    pub input: Value,
    /// With `tool_result`: the call.
    pub tool_use_id: String,
    /// With `tool_result`: text or blocks.
    pub content: Value,
    /// With `tool_result`.
    pub is_error: Option<bool>,
    /// With `image`.
    pub source: Option<ImageSource>,
}

/// A picture inside a tool's result.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ImageSource {
    /// Such as `image/png`.
    pub media_type: String,
    /// Base64.
    pub data: String,
}

/// A line of type `assistant`: one block of a message, complete.
#[derive(Debug, Deserialize)]
pub struct AssistantLine {
    /// The message.
    pub message: Message,
    /// The call whose subagent speaks.
    #[serde(default)]
    pub parent_tool_use_id: Option<String>,
    /// What went wrong, when the CLI wrote this instead of the model.
    #[serde(default)]
    pub error: Option<String>,
}

/// A line of type `user`: results of tools, or the echo of input.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UserLine {
    /// The message.
    pub message: Message,
    /// The call whose subagent is spoken to.
    #[serde(default, rename = "parent_tool_use_id")]
    pub parent_tool_use_id: Option<String>,
    /// The tool's own account of its result.
    #[serde(default, rename = "tool_use_result")]
    pub tool_use_result: Value,
    /// The line is the echo of one we wrote.
    #[serde(default)]
    pub is_replay: bool,
    /// The CLI wrote it, not a person.
    #[serde(default)]
    pub is_synthetic: bool,
    /// The id we gave the line.
    #[serde(default)]
    pub uuid: Option<String>,
}

/// `system/init`: repeated at the start of every turn.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Init {
    /// The session.
    pub session_id: String,
    /// Where it works.
    pub cwd: Option<String>,
    /// Names of the tools.
    pub tools: Vec<String>,
    /// MCP servers and their state.
    pub mcp_servers: Vec<McpServerState>,
    /// The model.
    pub model: Option<String>,
    /// The mode.
    #[serde(rename = "permissionMode")]
    pub permission_mode: Option<String>,
    /// Names of the skills.
    pub skills: Vec<String>,
    /// Plugins.
    pub plugins: Vec<Plugin>,
}

/// An MCP server and its state.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct McpServerState {
    /// Its name.
    pub name: String,
    /// `connected`, `failed`, ….
    pub status: String,
}

/// A plugin that was loaded.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Plugin {
    /// Its name.
    pub name: String,
    /// `name@marketplace`, or `name@inline` for `--plugin-dir`.
    pub source: Option<String>,
}

/// Every other `system` line: few fields each, none of them in conflict.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct SystemLine {
    /// `status`: what it does now; null when only something else changed.
    pub status: Option<String>,
    /// `status`: the new mode.
    #[serde(rename = "permissionMode")]
    pub permission_mode: Option<String>,
    /// `api_retry`: which one, from 1.
    pub attempt: u32,
    /// `api_retry`: how many at most.
    pub max_retries: Option<u32>,
    /// `api_retry`: how long until then.
    pub retry_delay_ms: Option<f64>,
    /// `api_retry`: the HTTP status; null when no answer came.
    pub error_status: Option<u16>,
    /// `api_retry`: the same words as in `assistant.error`.
    pub error: Option<String>,
    /// `task_*`: names the task.
    pub task_id: String,
    /// `task_*`: the call that started it.
    pub tool_use_id: Option<String>,
    /// `task_started`: what it is for.
    pub description: Option<String>,
    /// `task_started`: `local_agent`, `local_bash`, ….
    pub task_type: Option<String>,
    /// `compact_boundary`.
    pub compact_metadata: Option<CompactMetadata>,
    /// `hook_*`.
    pub hook_name: Option<String>,
    /// `hook_response`.
    pub exit_code: Option<i32>,
    /// `hook_response`.
    pub stderr: Option<String>,
}

/// What a compaction did.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct CompactMetadata {
    /// Tokens afterwards.
    pub post_tokens: Option<u64>,
    /// Tokens before.
    pub pre_tokens: Option<u64>,
}

/// A line of type `rate_limit_event`: only with a subscription, never with an API key.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RateLimitLine {
    /// What it says.
    pub rate_limit_info: RateLimitInfo,
}

/// The state of one window of the subscription.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RateLimitInfo {
    /// `allowed`, `allowed_warning`, `rejected`.
    pub status: String,
    /// In seconds since 1970.
    pub resets_at: Option<u64>,
    /// `five_hour`, `seven_day`, ….
    pub rate_limit_type: Option<String>,
    /// From 0 to 1.
    pub utilization: Option<f64>,
}

/// A line of type `result`: the end of a turn.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ResultLine {
    /// The verdict; `subtype` says `success` even for a refused API key.
    pub is_error: bool,
    /// `success`, `error_during_execution`, `error_max_turns`, `error_max_budget_usd`.
    pub subtype: String,
    /// The HTTP status of the last answer.
    pub api_error_status: Option<u16>,
    /// `completed`, `aborted_streaming`, `aborted_tools`, `prompt_too_long`, `max_turns`.
    pub terminal_reason: Option<String>,
    /// The model's stop reason.
    pub stop_reason: Option<String>,
    /// The last text, or the text of the error.
    pub result: Option<String>,
    /// Texts of errors.
    pub errors: Vec<String>,
    /// The session.
    pub session_id: Option<String>,
    /// Dollars of the whole process so far.
    pub total_cost_usd: Option<f64>,
    /// Tokens of this turn, without subagents and without requests that were tried again.
    pub usage: Option<TokenUsage>,
    /// Tokens of the whole process so far, by model.
    #[serde(rename = "modelUsage")]
    pub model_usage: BTreeMap<String, ModelUsage>,
    /// With `--json-schema`: the answer.
    pub structured_output: Option<Value>,
}

/// Tokens in the API's words.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default)]
pub struct TokenUsage {
    /// Not cached.
    pub input_tokens: u64,
    /// Received.
    pub output_tokens: u64,
    /// Written to the cache.
    pub cache_creation_input_tokens: u64,
    /// Read from the cache.
    pub cache_read_input_tokens: u64,
    /// The provider's tier.
    pub service_tier: Option<String>,
}

/// Tokens in the CLI's words.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ModelUsage {
    /// Not cached.
    pub input_tokens: u64,
    /// Received.
    pub output_tokens: u64,
    /// Read from the cache.
    pub cache_read_input_tokens: u64,
    /// Written to the cache.
    pub cache_creation_input_tokens: u64,
    /// The model's window.
    pub context_window: Option<u64>,
}

/// A line of type `control_request` or `control_cancel_request`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ControlRequestLine {
    /// Names the request.
    pub request_id: String,
    /// What is asked.
    pub request: ControlRequest,
}

/// What the CLI asks.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ControlRequest {
    /// `can_use_tool`, `hook_callback`, `mcp_message`, ….
    pub subtype: String,
    /// The tool.
    pub tool_name: String,
    /// Its input.
    pub input: Value,
    /// The call.
    pub tool_use_id: Option<String>,
    /// A path outside the allowed folders.
    pub blocked_path: Option<String>,
    /// Rules that would make further questions of this kind needless.
    pub permission_suggestions: Vec<Value>,
}

/// The tool's own account of a file it wrote (`tool_use_result` of Write, Edit, …).
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct FileReport {
    /// `create` or `update`; absent with Edit.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The file, absolute.
    pub file_path: Option<String>,
    /// With `create`: all of it.
    pub content: Option<String>,
    /// What changed.
    pub structured_patch: Option<Vec<Hunk>>,
}

/// A hunk of a patch.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Hunk {
    /// First line before.
    pub old_start: u64,
    /// Lines before.
    pub old_lines: u64,
    /// First line after.
    pub new_start: u64,
    /// Lines after.
    pub new_lines: u64,
    /// With their sign.
    pub lines: Vec<String>,
}
