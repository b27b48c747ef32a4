//! Ownership of a journal on Unix: the process that has its lock. The kernel releases the lock when the process exits,
//! for any reason.

use std::fs::{DirBuilder, File};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{FlockOperation, flock};

/// Creates a folder with its parents that only the user can access.
pub(crate) fn make_private_folder(path: &Path) -> std::io::Result<()> {
    if let Some(parent) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
    }
    DirBuilder::new().mode(0o700).create(path)
}

/// Creates and locks a new file.
pub(crate) fn lock_new(path: &Path) -> std::io::Result<File> {
    let file = File::options().read(true).append(true).create_new(true).mode(0o600).open(path)?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    Ok(file)
}

/// Opens and locks an existing file; `None` when another process has the lock.
pub(crate) fn lock_existing(path: &Path) -> std::io::Result<Option<File>> {
    lock(File::options().read(true).append(true).open(path)?)
}

/// Opens and locks a file, and creates it if necessary; `None` when another process has the lock.
pub(crate) fn lock_or_create(path: &Path) -> std::io::Result<Option<File>> {
    loop {
        let mut options = File::options();
        let file = options.read(true).append(true).create(true).mode(0o600).open(path)?;
        match lock(file) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            owned => return owned,
        }
    }
}

/// Removes a locked file. A process that opened it before creates a new one.
pub(crate) fn remove_locked(file: File, path: &Path) -> std::io::Result<()> {
    let removal = std::fs::remove_file(path);
    drop(file);
    removal
}

/// Locks an open file. A file that was removed before it was locked counts as not found, because other processes cannot
/// see its lock.
fn lock(file: File) -> std::io::Result<Option<File>> {
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) if file.metadata()?.nlink() == 0 => Err(std::io::ErrorKind::NotFound.into()),
        Ok(()) => Ok(Some(file)),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Locks a run for closing; `None` when another process has the lock.
pub(crate) fn lock_for_closing(folder: &Path) -> std::io::Result<Option<File>> {
    lock(File::open(folder)?)
}
