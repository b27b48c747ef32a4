//! Tokens.

use serde::Deserialize;

/// `thread/tokenUsage/updated`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct TokenUsageNotification {
    /// The turn that spent them; after a resume first an old one.
    pub turn_id: String,
    /// What was spent.
    pub token_usage: ThreadTokenUsage,
}

/// What a thread has spent.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ThreadTokenUsage {
    /// By the whole thread, earlier processes included.
    pub total: TokenUsage,
    /// By the last request.
    pub last: TokenUsage,
    /// The model's window.
    pub model_context_window: Option<u64>,
}

/// Tokens by kind. The input includes what came from the cache and what was written to it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct TokenUsage {
    /// All of them; after a compaction the only figure of the last request.
    pub total_tokens: u64,
    /// Sent, all of them.
    #[serde(alias = "input_tokens")]
    pub input_tokens: u64,
    /// The part that was read from a cache.
    #[serde(alias = "cached_input_tokens")]
    pub cached_input_tokens: u64,
    /// The part that was written to a cache.
    #[serde(alias = "cache_write_input_tokens")]
    pub cache_write_input_tokens: u64,
    /// Received.
    #[serde(alias = "output_tokens")]
    pub output_tokens: u64,
    /// The part of the output that was reasoning.
    #[serde(alias = "reasoning_output_tokens")]
    pub reasoning_output_tokens: u64,
}
