//! Allowances and their windows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One window of an allowance, such as five hours or a week.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuotaWindow {
    /// The provider's own name for it (`five_hour`, `weekly`, …).
    pub kind: String,
    /// How much is used, 0 to 100; absent means not stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_percent: Option<f64>,
    /// When it starts anew, in milliseconds since 1970; absent means not stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resets_at: Option<u64>,
    /// Nothing is left.
    pub exhausted: bool,
}

/// Parameters of `quota/get`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GetQuotaParams {}

/// Result of `quota/get`; null when the account has none that can be read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetQuotaResult {
    /// The windows.
    pub windows: Vec<QuotaWindow>,
    /// A run started now would be refused.
    pub rate_limited: bool,
    /// The first moment that helps, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earliest_reset_at: Option<u64>,
}
