//! Locking without poisoning, and a runtime for tests.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex even after a panic in another thread. Use it only for data that is valid after each statement.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a future of a test to its end.
#[cfg(test)]
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(future)
}
