//! The quota of an account and its windows.

use serde::{Deserialize, Serialize};

/// One window of a quota, such as five hours or a week.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct QuotaWindow {
    /// The provider's own name (`five_hour`, `weekly`, …).
    pub kind: String,
    /// The used share, 0 to 100; absent means not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_percent: Option<f64>,
    /// When the window resets, in milliseconds since 1970; absent means not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resets_at: Option<u64>,
    /// Whether the quota of this window is exhausted.
    pub exhausted: bool,
}

/// Payload of the event `quota` and result of `quota/get`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Quota {
    /// The windows.
    pub windows: Vec<QuotaWindow>,
    /// Whether a run started now would be rejected.
    pub rate_limited: bool,
    /// The earliest reset that allows runs again, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earliest_reset_at: Option<u64>,
}
