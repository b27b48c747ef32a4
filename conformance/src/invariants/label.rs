//! The check that is currently running.

use std::sync::{Arc, Mutex, PoisonError};

/// The id of the current check; clones share it, so that a violation on a shared adapter names the
/// check that was running.
#[derive(Debug, Clone, Default)]
pub struct Label(Arc<Mutex<String>>);

impl Label {
    /// Sets the current check.
    pub fn set(&self, label: &str) {
        label.clone_into(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Returns the current check.
    pub fn get(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
