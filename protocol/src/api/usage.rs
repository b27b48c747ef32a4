//! Summaries of the usage ledger.

use serde::{Deserialize, Serialize};

use crate::wire_enum::wire_enum;

wire_enum! {
    /// How usage is grouped. An unknown value means by agent.
    pub enum UsageGroup, unknown => Agent {
        /// The agent.
        Agent = "agent",
        /// The model.
        Model = "model",
        /// The provider of the model.
        Provider = "provider",
        /// The kind of credential that paid.
        Credential = "credential",
        /// The day, in the host's time zone.
        Day = "day",
    }
}

/// Parameters of `usage/summary`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct SummarizeUsageParams {
    /// How to group; absent means by agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<UsageGroup>,
    /// Only usage since this time, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// Only usage before this time, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<u64>,
}

/// The usage of one group.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UsageRow {
    /// The agent, model, provider, credential kind or day; empty means unknown.
    pub group: String,
    /// The number of runs.
    pub runs: u64,
    /// Tokens sent, cached ones excluded.
    pub input_tokens: u64,
    /// Tokens received, reasoning included.
    pub output_tokens: u64,
    /// Tokens read from a cache.
    pub cache_read_tokens: u64,
    /// Tokens written to a cache.
    pub cache_write_tokens: u64,
    /// The sum of all tokens.
    pub total_tokens: u64,
    /// The cost in US dollars of the runs whose agent CLI reports it; null means that none does.
    pub cost_usd: Option<f64>,
    /// The number of runs without a reported cost, which `costUsd` excludes.
    pub runs_without_cost: u64,
}

/// Result of `usage/summary`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UsageSummary {
    /// How the rows are grouped.
    pub by: UsageGroup,
    /// The groups: days in order, otherwise the most tokens first.
    pub rows: Vec<UsageRow>,
    /// The totals.
    pub total: UsageRow,
    /// The number of damaged or newer lines of the ledger, which the numbers exclude.
    #[serde(default)]
    pub unread_lines: u64,
}
