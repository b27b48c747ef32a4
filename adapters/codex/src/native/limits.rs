//! The windows of a subscription.

use serde::Deserialize;
use serde_json::Value;

/// `account/rateLimits/updated`, and the reply to `account/rateLimits/read`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RateLimits {
    /// What is left.
    pub rate_limits: RateLimitSnapshot,
}

/// What is left of a subscription; without one there are no windows.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RateLimitSnapshot {
    /// The short window.
    pub primary: Option<RateLimitWindow>,
    /// The long one.
    pub secondary: Option<RateLimitWindow>,
    /// Which limit was hit, when one was.
    pub rate_limit_reached_type: Value,
}

/// One window.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RateLimitWindow {
    /// 0 to 100.
    pub used_percent: f64,
    /// How long it is.
    pub window_duration_mins: Option<u64>,
    /// When it starts anew, in seconds since 1970.
    pub resets_at: Option<u64>,
}
