//! The end of a turn.

use std::collections::BTreeMap;

use od_sdk::stream_json::TokenUsage;
use serde::Deserialize;
use serde_json::Value;

/// A line of type `result`: the end of a turn.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ResultLine {
    /// Whether the turn failed. `subtype` is `success` even for a refused API key (recording `r401`).
    pub is_error: bool,
    /// `success`, `error_during_execution`, `error_max_turns`, `error_max_budget_usd`.
    pub subtype: String,
    /// The HTTP status of the provider's last reply.
    pub api_error_status: Option<u16>,
    /// `completed`, `aborted_streaming`, `aborted_tools`, `prompt_too_long`, `max_turns`.
    pub terminal_reason: Option<String>,
    /// The model's stop reason.
    pub stop_reason: Option<String>,
    /// The last text, or the error text.
    pub result: Option<String>,
    /// Error texts.
    pub errors: Vec<String>,
    /// Cost of the whole process so far, in dollars.
    pub total_cost_usd: Option<f64>,
    /// Tokens of this turn, without subagents and retried requests.
    pub usage: Option<TokenUsage>,
    /// Tokens of the whole process so far, by model.
    #[serde(rename = "modelUsage")]
    pub model_usage: BTreeMap<String, ModelUsage>,
    /// The answer, with `--json-schema`.
    pub structured_output: Option<Value>,
}

/// Tokens of one model.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ModelUsage {
    /// Input without cached tokens.
    pub input_tokens: u64,
    /// Output.
    pub output_tokens: u64,
    /// Read from the cache.
    pub cache_read_input_tokens: u64,
    /// Written to the cache.
    pub cache_creation_input_tokens: u64,
    /// The context window of the model.
    pub context_window: Option<u64>,
}
