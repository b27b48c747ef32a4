//! Tokens and money.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::wire_enum::wire_enum;

wire_enum! {
    /// What a usage figure covers. An unknown word is read as one turn.
    pub enum UsageScope, unknown => Turn {
        /// One turn of the model.
        Turn = "turn",
        /// The whole run.
        Run = "run",
        /// The whole session, earlier runs included.
        Session = "session",
    }
}

wire_enum! {
    /// Where a figure comes from. An unknown word is an estimate.
    pub enum UsageSource, unknown => Estimated {
        /// The agent CLI stated it.
        Cli = "cli",
        /// The provider's own reply, read by the adapter.
        Provider = "provider",
        /// Computed by somebody else.
        Estimated = "estimated",
    }
}

/// Payload of the event `usage`: a tick of the meter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// What it covers.
    pub scope: UsageScope,
    /// The figures include all earlier ticks of the same scope.
    pub cumulative: bool,
    /// Tokens sent, cached ones excluded.
    pub input_tokens: u64,
    /// Tokens received, reasoning included.
    pub output_tokens: u64,
    /// Tokens read from a cache.
    #[serde(default)]
    pub cache_read_tokens: u64,
    /// Tokens written to a cache.
    #[serde(default)]
    pub cache_write_tokens: u64,
    /// The part of the output that was reasoning; absent means not stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
    /// All of the above.
    pub total_tokens: u64,
    /// US dollars, only when the agent CLI states it; null means not stated, which is not zero.
    pub cost_usd: Option<f64>,
    /// The model it was spent on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The provider's service tier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_tier: Option<String>,
    /// Where the figures come from.
    pub source: UsageSource,
}
