//! Files of a run on Windows: they get the access list of their folder.

use std::fs::File;
use std::io;
use std::path::Path;

/// Opens a file to write on, a new one if need be.
pub(super) fn open_private(path: &Path) -> io::Result<File> {
    File::options().create(true).append(true).open(path)
}
