//! The ledger's files on Unix: private, and written by one process at a time.

use std::fs::{DirBuilder, File};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{FlockOperation, flock};

/// Makes the folder that only the user can look into, unless it is there.
pub(super) fn make_private_folder(path: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Opens a file for one more row; waits while another process writes one.
pub(super) fn open_alone(path: &Path) -> std::io::Result<File> {
    let file = File::options().read(true).append(true).create(true).mode(0o600).open(path)?;
    flock(&file, FlockOperation::LockExclusive)?;
    Ok(file)
}
