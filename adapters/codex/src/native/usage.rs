//! Token usage.

use serde::Deserialize;

/// `thread/tokenUsage/updated`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct TokenUsageNotification {
    /// The turn. After a resume, the first notification names an earlier turn.
    pub turn_id: String,
    /// The usage.
    pub token_usage: ThreadTokenUsage,
}

/// The usage of a thread.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ThreadTokenUsage {
    /// The whole thread, earlier processes included.
    pub total: TokenUsage,
    /// The last model call.
    pub last: TokenUsage,
    /// The size of the model's context window.
    pub model_context_window: Option<u64>,
}

/// Tokens by kind. The input includes cache reads and cache writes.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct TokenUsage {
    /// All tokens; after a compaction the only field of the last model call.
    pub total_tokens: u64,
    /// Input, cached tokens included.
    #[serde(alias = "input_tokens")]
    pub input_tokens: u64,
    /// The part that was read from the cache.
    #[serde(alias = "cached_input_tokens")]
    pub cached_input_tokens: u64,
    /// The part that was written to the cache.
    #[serde(alias = "cache_write_input_tokens")]
    pub cache_write_input_tokens: u64,
    /// Output.
    #[serde(alias = "output_tokens")]
    pub output_tokens: u64,
    /// The part of the output that was reasoning.
    #[serde(alias = "reasoning_output_tokens")]
    pub reasoning_output_tokens: u64,
}
