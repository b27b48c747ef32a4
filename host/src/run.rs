//! One run, from prompt to `done`: what is asked, who watches it, and how a broken stream is mended.

mod handle;
pub(crate) mod recover;
pub(crate) mod repair;
mod request;
pub(crate) mod start;
mod stream;
mod supervise;

pub use handle::RunHandle;
pub use repair::{HOST_DIED, JOURNAL_FAILED};
pub use request::{Answers, RunRequest};

use std::time::{SystemTime, UNIX_EPOCH};

/// Now, in milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
