//! The ledger's files on Unix: private, and written by one process at a time.

use std::fs::File;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};

/// Opens a file for one more row; waits while another process writes one.
pub(super) fn open_alone(path: &Path) -> std::io::Result<File> {
    let file = File::options().read(true).append(true).create(true).mode(0o600).open(path)?;
    flock(&file, FlockOperation::LockExclusive)?;
    Ok(file)
}
