//! Messages and their blocks, whoever said them.

use serde::Deserialize;
use serde_json::Value;

use super::TokenUsage;

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

/// A line of type `command_lifecycle`, in versions after 2.1.197: what became of a line of ours.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct LifecycleLine {
    /// The id we gave the line.
    pub command_uuid: String,
    /// `queued`, `started`, `completed`.
    pub state: String,
}
