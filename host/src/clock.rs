//! The current time, and timers that may be absent.

use std::time::{SystemTime, UNIX_EPOCH};

use tokio::time::{Instant, sleep_until};

/// Returns the current time in milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Sleeps until the deadline; without one, never returns.
pub(crate) async fn sleep_until_deadline(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
