//! The agent's files on Windows: they get the access list of their folder.

use std::fs;
use std::io;
use std::path::Path;

/// Writes a file, and makes its folder if need be.
pub(super) fn write_private(path: &Path, text: &str) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::write(path, text)
}
