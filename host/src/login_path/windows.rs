//! On Windows every program gets the person's whole PATH, so there is nobody to ask.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// There is none.
pub(super) fn shell() -> Option<PathBuf> {
    None
}

/// There are none.
pub(super) fn startup_files(_home_dir: Option<&Path>) -> Vec<PathBuf> {
    Vec::new()
}

/// Nobody can be asked.
pub(super) fn ask(
    _shell: &Path,
    _home_dir: Option<&Path>,
    _limit: Duration,
) -> Result<OsString, String> {
    Err("there are no login shells here".to_owned())
}
