//! The model's stream, on the path of every delta: these types borrow from the line, and rare fields
//! are boxed to keep the common ones small (ten per cent fewer instructions).

use std::borrow::Cow;

use serde::Deserialize;

use super::{Block, Message, TokenUsage};

/// A line of type `stream_event`: one event of the model's own stream.
#[derive(Debug, Deserialize)]
pub struct StreamLine<'a> {
    /// The event.
    #[serde(borrow)]
    pub event: StreamEvent<'a>,
    /// The call of the subagent that sent it.
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
    pub content_block: Option<Box<Block>>,
    /// With `message_start`.
    #[serde(default)]
    pub message: Option<Box<Message>>,
    /// With `message_delta`.
    #[serde(default)]
    pub usage: Option<Box<TokenUsage>>,
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
