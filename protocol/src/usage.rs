//! Tokens and cost.

use serde::{Deserialize, Serialize};

use crate::wire_enum::wire_enum;

wire_enum! {
    /// What a usage report covers. An unknown value means one turn.
    pub enum UsageScope, unknown => Turn {
        /// One turn of the model.
        Turn = "turn",
        /// The whole run, and nothing before it.
        Run = "run",
        /// The whole session, earlier runs included.
        Session = "session",
    }
}

wire_enum! {
    /// The source of a usage report. An unknown value means an estimate.
    pub enum UsageSource, unknown => Estimated {
        /// The agent CLI reported it.
        Cli = "cli",
        /// The provider's response, read by the adapter.
        Provider = "provider",
        /// Computed by other means.
        Estimated = "estimated",
    }
}

/// Payload of the event `usage`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// What the numbers cover.
    pub scope: UsageScope,
    /// Whether the numbers include all earlier reports of the same scope.
    pub cumulative: bool,
    /// Tokens sent, those read from or written to a cache excluded.
    pub input_tokens: u64,
    /// Tokens received, reasoning included.
    pub output_tokens: u64,
    /// Tokens read from a cache.
    #[serde(default)]
    pub cache_read_tokens: u64,
    /// Tokens written to a cache.
    #[serde(default)]
    pub cache_write_tokens: u64,
    /// The reasoning tokens of the output; absent means not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
    /// `inputTokens` + `outputTokens` + `cacheReadTokens` + `cacheWriteTokens`.
    pub total_tokens: u64,
    /// The cost in US dollars if the agent CLI reports it; null means not reported, which is not
    /// zero.
    pub cost_usd: Option<f64>,
    /// The model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The company whose service ran the model, such as `anthropic`; absent means not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The service tier of the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_tier: Option<String>,
    /// The source of the numbers.
    pub source: UsageSource,
}
