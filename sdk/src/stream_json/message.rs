//! Messages, their blocks and their tokens.

use serde::Deserialize;
use serde_json::Value;

/// A message of the model: whole, one block of it, or only its metadata.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Message {
    /// Its id; every block of a message has the same.
    pub id: String,
    /// The model; a synthetic name if the CLI wrote the message.
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
    /// With `tool_use`: the id of the call.
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

/// The readable blocks of a message; a plain string has none.
pub fn blocks(content: Value) -> Vec<Block> {
    match content {
        Value::Array(items) => {
            items.into_iter().filter_map(|item| serde_json::from_value(item).ok()).collect()
        }
        _ => Vec::new(),
    }
}

/// The text of a content.
pub fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Array(items) => {
            let texts = items.iter().filter_map(|item| item.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}

/// An image in a tool result.
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
    /// The call of the subagent that sent it.
    #[serde(default)]
    pub parent_tool_use_id: Option<String>,
    /// The error, if the CLI wrote this in place of the model.
    #[serde(default)]
    pub error: Option<String>,
}

/// A line of type `user`: results of tools, or the echo of input.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UserLine {
    /// The message.
    pub message: Message,
    /// The call of the subagent that receives it.
    #[serde(default, rename = "parent_tool_use_id")]
    pub parent_tool_use_id: Option<String>,
    /// Details of the tool result.
    #[serde(default, rename = "tool_use_result")]
    pub tool_use_result: Value,
    /// Whether the line is the echo of our input.
    #[serde(default)]
    pub is_replay: bool,
    /// Whether the CLI wrote it, not the user.
    #[serde(default)]
    pub is_synthetic: bool,
    /// The id of our input line.
    #[serde(default)]
    pub uuid: Option<String>,
}

/// Tokens as the provider's API reports them.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default)]
pub struct TokenUsage {
    /// Input without cached tokens.
    pub input_tokens: u64,
    /// Output.
    pub output_tokens: u64,
    /// Written to the cache.
    pub cache_creation_input_tokens: u64,
    /// Read from the cache.
    pub cache_read_input_tokens: u64,
    /// The provider's tier.
    pub service_tier: Option<String>,
    /// Details of the output, if reported.
    pub output_tokens_details: Option<OutputTokensDetails>,
}

/// Details of the output.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default)]
pub struct OutputTokensDetails {
    /// Thinking.
    pub thinking_tokens: Option<u64>,
}
