//! The words of `gemini --output-format stream-json`, as far as they are used. Nothing here decides
//! anything: fields that are not named are ignored, missing ones have a default.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// What every line has.
#[derive(Debug, Deserialize)]
pub struct Head<'a> {
    /// `init`, `message`, `tool_use`, `tool_result`, `error`, `result`.
    #[serde(rename = "type", borrow)]
    pub kind: Cow<'a, str>,
}

/// A line of type `init`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Init {
    /// What `--resume` takes.
    pub session_id: String,
    /// The model asked for; `auto` when none was.
    pub model: Option<String>,
}

/// A line of type `message`: the echo of the prompt, or a piece of the answer.
#[derive(Debug, Deserialize)]
pub struct Message<'a> {
    /// When, as RFC 3339.
    #[serde(borrow, default)]
    pub timestamp: Cow<'a, str>,
    /// `user` or `assistant`.
    #[serde(borrow, default)]
    pub role: Cow<'a, str>,
    /// What was said.
    #[serde(borrow, default)]
    pub content: Cow<'a, str>,
}

/// A line of type `tool_use`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ToolUse {
    /// The tool.
    pub tool_name: String,
    /// Names the call.
    pub tool_id: String,
    /// Its input, complete.
    pub parameters: Value,
}

/// A line of type `tool_result`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ToolResultLine {
    /// The call.
    pub tool_id: String,
    /// `success` or `error`.
    pub status: String,
    /// What it gave, where that is text.
    pub output: Option<String>,
    /// What went wrong.
    pub error: Option<NativeError>,
}

/// What went wrong.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct NativeError {
    /// A word such as `file_not_found`; `unknown` for errors of the provider.
    #[serde(rename = "type")]
    pub kind: String,
    /// For people.
    pub message: String,
}

/// A line of type `error`: something that did not end the run by itself.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ErrorLine {
    /// `warning` or `error`.
    pub severity: String,
    /// For people.
    pub message: String,
}

/// A line of type `result`: the last one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ResultLine {
    /// `success` or `error`.
    pub status: String,
    /// With `error`, where it has a cause.
    pub error: Option<NativeError>,
    /// Tokens.
    pub stats: Stats,
}

/// Tokens of a process.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Stats {
    /// Everything, thoughts included.
    pub total_tokens: u64,
    /// Sent, cached ones included.
    pub input_tokens: u64,
    /// Received, thoughts excluded.
    pub output_tokens: u64,
    /// Read from a cache.
    pub cached: u64,
    /// The same by model.
    pub models: BTreeMap<String, Value>,
}
