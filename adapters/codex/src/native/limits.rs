//! Rate limit windows of a subscription.

use serde::Deserialize;
use serde_json::Value;

/// `account/rateLimits/updated`, and the reply to `account/rateLimits/read`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RateLimits {
    /// The current state.
    pub rate_limits: RateLimitSnapshot,
}

/// The state of the rate limits; windows exist only with a subscription.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RateLimitSnapshot {
    /// The short window.
    pub primary: Option<RateLimitWindow>,
    /// The long window.
    pub secondary: Option<RateLimitWindow>,
    /// The exceeded limit, if any.
    pub rate_limit_reached_type: Value,
}

/// One window.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RateLimitWindow {
    /// The used part, from 0 to 100.
    pub used_percent: f64,
    /// The length in minutes.
    pub window_duration_mins: Option<u64>,
    /// The time of the reset, in seconds since 1970.
    pub resets_at: Option<u64>,
}
