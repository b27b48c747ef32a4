//! The messages that `my-agent` prints, one JSON object per line. Parsing is lenient: fields that
//! are not used are not named, and missing fields have a default.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

/// One message. Text is borrowed from the line where possible.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Message<'a> {
    /// A piece of the answer.
    Text {
        /// The piece.
        #[serde(borrow)]
        text: Cow<'a, str>,
    },
    /// A tool call starts.
    ToolCall {
        /// Identifies the call.
        id: String,
        /// The tool.
        name: String,
        /// Its input.
        #[serde(default)]
        input: Value,
    },
    /// A tool call ends.
    ToolResult {
        /// Identifies the call.
        id: String,
        /// Whether the tool succeeded.
        ok: bool,
        /// Its output.
        #[serde(default)]
        output: Value,
    },
    /// Tokens of the run so far.
    Usage(TokenUsage),
    /// The answer is complete. Nothing follows.
    End,
}

/// Tokens, and their price when the CLI states it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct TokenUsage {
    /// Tokens of the input that were not cached.
    pub input: u64,
    /// Tokens of the output.
    pub output: u64,
    /// Input tokens read from the cache.
    pub cache_read: u64,
    /// Input tokens written to the cache.
    pub cache_write: u64,
    /// US dollars.
    pub cost: Option<f64>,
}
