//! Files of a run on Unix: only the user can read them.

use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opens a file for appending; only the user can read a new one.
pub(super) fn open_private(path: &Path) -> io::Result<File> {
    File::options().create(true).append(true).mode(0o600).open(path)
}
