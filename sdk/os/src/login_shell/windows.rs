//! Windows gives every program the user's whole PATH, so no shell is queried.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{LoginShell, QueryError};

/// Returns `None`: Windows has no login shells.
pub fn user_shell() -> Option<PathBuf> {
    None
}

/// Returns an empty list.
pub(super) fn startup_files(_folders: &[&Path]) -> Vec<PathBuf> {
    Vec::new()
}

/// Fails: Windows has no login shells.
pub(super) fn query_path(_shell: &LoginShell, _limit: Duration) -> Result<OsString, QueryError> {
    Err(QueryError::Unsupported)
}
