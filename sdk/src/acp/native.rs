//! Types of ACP messages, with the fields that are used. Unknown fields are ignored, missing ones
//! have a default.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// Result of `initialize`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct InitializeResult {
    pub(super) protocol_version: Option<u64>,
    pub(super) agent_capabilities: AgentCapabilities,
}

/// The capabilities of an agent.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct AgentCapabilities {
    pub(super) load_session: bool,
    pub(super) session_capabilities: SessionCapabilities,
}

/// Its capabilities for sessions. A supported one is an object.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default)]
pub(super) struct SessionCapabilities {
    pub(super) resume: Option<Value>,
    pub(super) fork: Option<Value>,
}

/// Result of `session/new`, `session/load`, `session/resume` and `session/fork`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct SessionResult {
    pub(super) session_id: Option<String>,
    pub(super) models: Option<ModelState>,
    pub(super) modes: Option<ModeState>,
    pub(super) config_options: Vec<ConfigOption>,
}

/// The models of a session.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ModelState {
    pub(super) available_models: Vec<ModelInfo>,
    pub(super) current_model_id: Option<String>,
}

/// One model.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ModelInfo {
    pub(super) model_id: String,
    pub(super) name: Option<String>,
}

/// The modes of a session.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ModeState {
    pub(super) current_mode_id: Option<String>,
}

/// A setting of a session that the client may change.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ConfigOption {
    pub(super) id: String,
    pub(super) category: Option<String>,
    pub(super) current_value: Value,
    pub(super) options: Vec<ConfigChoice>,
}

/// A value of a setting, or a group of them.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ConfigChoice {
    pub(super) value: Option<String>,
    pub(super) name: Option<String>,
    pub(super) options: Vec<ConfigChoice>,
}

/// Parameters of `session/update`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UpdateParams<'a> {
    #[serde(borrow, default)]
    pub(super) session_id: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) update: &'a RawValue,
}

/// The type of an update.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UpdateHead<'a> {
    #[serde(borrow)]
    pub(super) session_update: Cow<'a, str>,
}

/// `agent_message_chunk`, `agent_thought_chunk`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Chunk {
    pub(super) content: ContentBlock,
    pub(super) message_id: Option<String>,
}

/// A piece of content.
#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ContentBlock {
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// With `text`.
    pub(super) text: String,
    /// With `image`.
    pub(super) mime_type: String,
    /// With `image`: base64.
    pub(super) data: String,
    /// With `resource_link`.
    pub(super) uri: String,
}

/// A tool call: a new one, an update, or that of a permission request. Absent fields are unchanged.
#[derive(Debug, Default, Clone, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ToolCall {
    /// Its id.
    pub tool_call_id: String,
    /// Its title.
    pub title: Option<String>,
    /// Its kind in ACP.
    pub kind: Option<String>,
    /// `pending`, `in_progress`, `completed`, `failed`.
    pub status: Option<String>,
    /// Its content: text, diffs, terminals. Each update has all of it.
    pub content: Option<Vec<ToolContent>>,
    /// The files it works on.
    pub locations: Option<Vec<Location>>,
    /// Its input, if reported.
    pub raw_input: Option<Value>,
    /// Its output in the agent's own form.
    pub raw_output: Option<Value>,
    /// Extensions of the agent.
    #[serde(rename = "_meta")]
    pub meta: Value,
}

/// A piece of the content of a call.
#[derive(Debug, Default, Clone, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ToolContent {
    /// `content`, `diff`, `terminal`.
    #[serde(rename = "type")]
    pub kind: String,
    /// With `content`.
    pub(super) content: ContentBlock,
    /// With `diff`: the file.
    pub path: String,
    /// With `diff`: the old text; absent or null for a new file.
    pub old_text: Option<String>,
    /// With `diff`: the new text.
    pub new_text: String,
}

/// A place in a file.
#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Location {
    /// The file.
    pub path: String,
}

/// Parameters of `session/request_permission`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct PermissionParams {
    pub(super) tool_call: ToolCall,
    pub(super) options: Vec<PermissionOption>,
}

/// One option of a permission request.
#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct PermissionOption {
    pub(super) option_id: String,
    pub(super) name: Option<String>,
    pub(super) kind: String,
}

/// `plan`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PlanUpdate {
    pub(super) entries: Vec<PlanItem>,
}

/// One entry of a plan.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PlanItem {
    pub(super) content: String,
    pub(super) status: String,
}

/// `usage_update`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct UsageUpdate {
    pub(super) used: u64,
    pub(super) size: Option<u64>,
    pub(super) cost: Option<Cost>,
}

/// The cost of the session so far.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Cost {
    pub(super) amount: f64,
    pub(super) currency: String,
}

/// `current_mode_update`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ModeUpdate {
    pub(super) current_mode_id: String,
}

/// `config_option_update`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ConfigUpdate {
    pub(super) config_options: Vec<ConfigOption>,
}

/// Result of `session/prompt`: the end of a turn.
#[derive(Debug, Default, Clone, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PromptResult {
    /// Why the model stopped.
    pub stop_reason: String,
    /// Tokens of the turn, if reported.
    pub usage: Option<TokenUsage>,
    /// Extensions of the agent.
    #[serde(rename = "_meta")]
    pub meta: Value,
}

/// Tokens of a turn. Agents differ in whether input includes cached tokens and output includes
/// thinking; the total shows which.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct TokenUsage {
    /// Input.
    pub input_tokens: u64,
    /// Output.
    pub output_tokens: u64,
    /// All of them.
    pub total_tokens: u64,
    /// Thinking.
    pub thought_tokens: Option<u64>,
    /// Read from a cache.
    pub cached_read_tokens: u64,
    /// Written to a cache.
    pub cached_write_tokens: u64,
}
