//! Who owns a journal, on Unix: the process that holds the lock on it. The kernel gives the lock back
//! when that process dies, however it dies.

use std::fs::{DirBuilder, File};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{FlockOperation, flock};

/// Makes a folder that only the user can look into, with its parents.
pub(crate) fn make_private_folder(path: &Path) -> std::io::Result<()> {
    if let Some(parent) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
    }
    DirBuilder::new().mode(0o700).create(path)
}

/// Makes a new journal and owns it.
pub(crate) fn own_new(path: &Path) -> std::io::Result<File> {
    let file = File::options().read(true).append(true).create_new(true).mode(0o600).open(path)?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    Ok(file)
}

/// Owns an existing file; `None` when another process does.
pub(crate) fn own_existing(path: &Path) -> std::io::Result<Option<File>> {
    lock(File::options().read(true).append(true).open(path)?)
}

/// Owns a file that is made if need be; `None` when another process does.
pub(crate) fn own_any(path: &Path) -> std::io::Result<Option<File>> {
    loop {
        let mut options = File::options();
        let file = options.read(true).append(true).create(true).mode(0o600).open(path)?;
        match lock(file) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            owned => return owned,
        }
    }
}

/// Removes a file that is owned. Who opened it before gets another one.
pub(crate) fn remove_owned(file: File, path: &Path) -> std::io::Result<()> {
    let removal = std::fs::remove_file(path);
    drop(file);
    removal
}

/// A file that was removed between its opening and its lock is not found: nobody else could see that it is owned.
fn lock(file: File) -> std::io::Result<Option<File>> {
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) if file.metadata()?.nlink() == 0 => Err(std::io::ErrorKind::NotFound.into()),
        Ok(()) => Ok(Some(file)),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Takes the only right to close a run, which lasts as long as the file that is given back; `None` when another one has
/// it.
pub(crate) fn lock_for_closing(folder: &Path) -> std::io::Result<Option<File>> {
    lock(File::open(folder)?)
}
