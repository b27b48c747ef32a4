//! The end of a turn.

use std::collections::BTreeMap;

use od_sdk::stream_json::TokenUsage;
use serde::Deserialize;
use serde_json::Value;

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
