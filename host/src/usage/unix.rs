//! The ledger's files on Unix: private, and open in one process at a time.

use std::fs::File;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};

/// Opens a file to append rows; waits while another process has it open.
pub(super) fn open_exclusive(path: &Path) -> std::io::Result<File> {
    let file = File::options().read(true).append(true).create(true).mode(0o600).open(path)?;
    flock(&file, FlockOperation::LockExclusive)?;
    Ok(file)
}
