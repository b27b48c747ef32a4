//! Messages and the pieces they stream in.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

/// `message_update`: one piece of the current message. Older versions also repeat the whole message,
/// which is ignored.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UpdateLine<'a> {
    /// The piece.
    #[serde(borrow)]
    pub assistant_message_event: Piece<'a>,
}

/// A piece of a message.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Piece<'a> {
    /// `text_delta`, `thinking_start`, `toolcall_end`, ….
    #[serde(rename = "type", borrow)]
    pub kind: Cow<'a, str>,
    /// Which block of the message it belongs to.
    #[serde(default)]
    pub content_index: usize,
    /// With `…_delta`: the added text.
    #[serde(default, borrow)]
    pub delta: Cow<'a, str>,
    /// With `toolcall_start` of newer versions: the id of the call.
    #[serde(default)]
    pub id: Option<String>,
    /// With `toolcall_start` of newer versions: the tool.
    #[serde(default)]
    pub tool_name: Option<String>,
    /// With `toolcall_end`: the whole call.
    #[serde(default)]
    pub tool_call: Option<Block>,
}

/// `message_start`, `message_end`, `turn_end`.
#[derive(Debug, Deserialize)]
pub struct MessageLine {
    /// The message.
    pub message: Message,
}

/// A message.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Message {
    /// `system`, `user`, `assistant`, `toolResult`, ….
    pub role: String,
    /// A text, or blocks.
    pub content: Value,
    /// The author of a message with the role `user`, if it is not the user.
    pub attribution: Option<String>,
    /// The provider that answered.
    pub provider: Option<String>,
    /// The model that answered.
    pub model: Option<String>,
    /// The usage of the answer.
    pub usage: Option<Usage>,
    /// `stop`, `toolUse`, `length`, `error`, `aborted`; `pending` at the start.
    pub stop_reason: Option<String>,
    /// With `error` and `aborted`: the reason.
    pub error_message: Option<String>,
    /// With `error`: the HTTP status, if known.
    pub error_status: Option<u16>,
    /// With the role `toolResult`: the call.
    pub tool_call_id: String,
    /// With the role `toolResult`: whether it failed.
    pub is_error: bool,
}

/// A block of a message.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Block {
    /// `text`, `thinking`, `toolCall`, `image`.
    #[serde(rename = "type")]
    pub kind: String,
    /// With `text`.
    pub text: String,
    /// With `thinking`.
    pub thinking: String,
    /// With `toolCall`: its id.
    pub id: String,
    /// With `toolCall`: the tool.
    pub name: String,
    /// With `toolCall`: the input.
    pub arguments: Value,
    /// With `image`: base64.
    pub data: String,
    /// With `image`.
    pub mime_type: String,
}

/// The usage of one answer, not cumulative.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Usage {
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// Tokens read from the cache.
    pub cache_read: u64,
    /// Tokens written to the cache.
    pub cache_write: u64,
    /// Tokens of thinking, if reported; part of `output`.
    pub reasoning: Option<u64>,
    /// In dollars.
    pub cost: Option<Cost>,
}

/// The cost of an answer, in dollars.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub struct Cost {
    /// All of it.
    pub total: Option<f64>,
}
