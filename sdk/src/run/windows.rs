//! Files of a run on Windows: they inherit the access list of their folder.

use std::fs::File;
use std::io;
use std::path::Path;

/// Opens a file for appending; creates it if needed.
pub(super) fn open_private(path: &Path) -> io::Result<File> {
    File::options().create(true).append(true).open(path)
}
