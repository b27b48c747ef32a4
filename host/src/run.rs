//! One run, from prompt to `done`: what is asked, who watches it, and how a broken stream is mended.
//!
//! Reading order for a newcomer: `request` (what is asked), `start` (the folder, the journal, the record),
//! `pending` (a run that waits), `conduct` (its whole life), `launch` and `supervise` (one attempt),
//! `attempts`, `go_on`, `switch` and `handover` (what follows a failure), then `stream`, `repair` and `recover` (how
//! a stream without an end gets one), and `result` (what came of it).

mod request;
pub(crate) mod start;

mod handle;
mod pending;

mod attempts;
mod conduct;
mod go_on;
mod handover;
mod launch;
mod supervise;
mod switch;

pub(crate) mod recover;
pub(crate) mod repair;
mod stream;

mod final_text;
pub(crate) mod result;

pub use attempts::{FALLBACK_ON, RETRY_ON};
pub use final_text::FinalText;
pub use handle::RunHandle;
pub(crate) use pending::CountedRun;
pub use pending::PendingRun;
pub use repair::{HOST_DIED, JOURNAL_FAILED, Verdict};
pub use request::{Answers, Origin, RunRequest};
pub(crate) use supervise::at;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Now, in milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// A lock that does not care about a panic elsewhere: the data is whole after each statement.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
