//! The usage ledger, added up.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::wire_enum::wire_enum;

wire_enum! {
    /// What the figures are added up by. An unknown word is the agent.
    pub enum UsageGroup, unknown => Agent {
        /// The agent.
        Agent = "agent",
        /// The model.
        Model = "model",
        /// Who runs the model.
        Provider = "provider",
        /// What kind of credential paid.
        Credential = "credential",
        /// The day, in the host's time zone.
        Day = "day",
    }
}

/// Parameters of `usage/summary`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SummarizeUsageParams {
    /// What to add up by; absent means the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<UsageGroup>,
    /// Only from this time on, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// Only before this time, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<u64>,
}

/// Figures of one group.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageRow {
    /// The agent, model, provider, credential kind or day; empty means not known.
    pub group: String,
    /// Runs.
    pub runs: u64,
    /// Tokens sent, cached ones excluded.
    pub input_tokens: u64,
    /// Tokens received, reasoning included.
    pub output_tokens: u64,
    /// Tokens read from a cache.
    pub cache_read_tokens: u64,
    /// Tokens written to a cache.
    pub cache_write_tokens: u64,
    /// All of the above.
    pub total_tokens: u64,
    /// US dollars, of the runs whose agent CLI states them; null means that none does.
    pub cost_usd: Option<f64>,
    /// Runs whose cost is not stated, so not in `costUsd`.
    pub runs_without_cost: u64,
}

/// Result of `usage/summary`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageSummary {
    /// What the rows are.
    pub by: UsageGroup,
    /// Days in their order, otherwise the most tokens first.
    pub rows: Vec<UsageRow>,
    /// All of them together.
    pub total: UsageRow,
    /// Lines of the ledger that are damaged or of a later version, so not in the figures.
    #[serde(default)]
    pub unread_lines: u64,
}
