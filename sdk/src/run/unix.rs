//! Files of a run on Unix: what an agent CLI prints is for the user alone.

use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opens a file to write on; a new one can be read by the user alone.
pub(super) fn open_private(path: &Path) -> io::Result<File> {
    File::options().create(true).append(true).mode(0o600).open(path)
}
