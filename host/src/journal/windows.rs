//! Ownership of a journal on Windows: the process that has it open for writing; other processes can only read it.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::windows::fs::OpenOptionsExt;
use std::path::Path;

const FILE_SHARE_READ: u32 = 1;
const ERROR_SHARING_VIOLATION: i32 = 32;

/// Creates a folder with its parents.
pub(crate) fn make_private_folder(path: &Path) -> std::io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::create_dir(path)
}

/// Creates and locks a new file.
pub(crate) fn lock_new(path: &Path) -> std::io::Result<File> {
    File::options().read(true).append(true).create_new(true).share_mode(FILE_SHARE_READ).open(path)
}

/// Opens and locks an existing file; `None` when another process has the lock.
pub(crate) fn lock_existing(path: &Path) -> std::io::Result<Option<File>> {
    open_exclusive(File::options().read(true).append(true), path)
}

/// Opens and locks a file, and creates it if necessary; `None` when another process has the lock.
pub(crate) fn lock_or_create(path: &Path) -> std::io::Result<Option<File>> {
    open_exclusive(File::options().read(true).append(true).create(true), path)
}

/// Removes a locked file. It must be closed first, so another process may open it in between: then it stays.
pub(crate) fn remove_locked(file: File, path: &Path) -> std::io::Result<()> {
    drop(file);
    std::fs::remove_file(path)
}

fn open_exclusive(options: &mut OpenOptions, path: &Path) -> std::io::Result<Option<File>> {
    match options.share_mode(FILE_SHARE_READ).open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.raw_os_error() == Some(ERROR_SHARING_VIOLATION) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Locks a run for closing; `None` when another process has the lock. Windows cannot lock a folder, so a file in it is
/// locked.
pub(crate) fn lock_for_closing(folder: &Path) -> std::io::Result<Option<File>> {
    let path = folder.join("closing");
    let file = File::options().write(true).create(true).truncate(false).open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}
