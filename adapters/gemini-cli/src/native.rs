//! Line types of `gemini --output-format stream-json`. Unknown fields are ignored, missing ones have a
//! default.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// The members of every line.
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
    /// The value for `--resume`.
    pub session_id: String,
    /// The requested model; `auto` when none was.
    pub model: Option<String>,
}

/// A line of type `message`: the echo of the prompt, or a part of the answer.
#[derive(Debug, Deserialize)]
pub struct Message<'a> {
    /// The time as RFC 3339.
    #[serde(borrow, default)]
    pub timestamp: Cow<'a, str>,
    /// `user` or `assistant`.
    #[serde(borrow, default)]
    pub role: Cow<'a, str>,
    /// The text.
    #[serde(borrow, default)]
    pub content: Cow<'a, str>,
}

/// A line of type `tool_use`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ToolUse {
    /// The tool's name.
    pub tool_name: String,
    /// The call id.
    pub tool_id: String,
    /// The complete input.
    pub parameters: Value,
}

/// A line of type `tool_result`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ToolResultLine {
    /// The call id.
    pub tool_id: String,
    /// `success` or `error`.
    pub status: String,
    /// The output, if it is text.
    pub output: Option<String>,
    /// The error.
    pub error: Option<NativeError>,
}

/// An error.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct NativeError {
    /// A code such as `file_not_found`; `unknown` for errors of the provider.
    #[serde(rename = "type")]
    pub kind: String,
    /// The error text.
    pub message: String,
}

/// A line of type `error`: an error that does not end the run.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ErrorLine {
    /// `warning` or `error`.
    pub severity: String,
    /// The error text.
    pub message: String,
}

/// A line of type `result`: the last one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ResultLine {
    /// `success` or `error`.
    pub status: String,
    /// Present with `error`, if the cause is known.
    pub error: Option<NativeError>,
    /// Token counts.
    pub stats: Stats,
}

/// Token counts of a process.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Stats {
    /// All tokens, thoughts included.
    pub total_tokens: u64,
    /// Input tokens, cached ones included.
    pub input_tokens: u64,
    /// Output tokens, thoughts excluded.
    pub output_tokens: u64,
    /// Tokens read from a cache.
    pub cached: u64,
    /// The same by model.
    pub models: BTreeMap<String, Value>,
}
