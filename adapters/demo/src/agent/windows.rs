//! Session files on Windows: they inherit the access list of their folder.

use std::fs;
use std::io;
use std::path::Path;

/// Writes a file and creates its folder if it is missing.
pub(super) fn write_private(path: &Path, text: &str) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::write(path, text)
}
