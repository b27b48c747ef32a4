//! Who owns a journal, on Windows: the process that has it open for writing; others may only read.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::windows::fs::OpenOptionsExt;
use std::path::Path;

const FILE_SHARE_READ: u32 = 1;
const ERROR_SHARING_VIOLATION: i32 = 32;

/// Makes a folder below the user's own, with its parents.
pub(crate) fn make_private_folder(path: &Path) -> std::io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::create_dir(path)
}

/// Makes a new journal and owns it.
pub(crate) fn own_new(path: &Path) -> std::io::Result<File> {
    File::options().read(true).append(true).create_new(true).share_mode(FILE_SHARE_READ).open(path)
}

/// Owns an existing file; `None` when another process does.
pub(crate) fn own_existing(path: &Path) -> std::io::Result<Option<File>> {
    open_alone(File::options().read(true).append(true), path)
}

/// Owns a file that is made if need be; `None` when another process does.
pub(crate) fn own_any(path: &Path) -> std::io::Result<Option<File>> {
    open_alone(File::options().read(true).append(true).create(true), path)
}

/// Removes a file that is owned. It cannot be removed while it is open, so somebody may have it a moment later: then
/// it stays.
pub(crate) fn remove_owned(file: File, path: &Path) -> std::io::Result<()> {
    drop(file);
    std::fs::remove_file(path)
}

fn open_alone(options: &mut OpenOptions, path: &Path) -> std::io::Result<Option<File>> {
    match options.share_mode(FILE_SHARE_READ).open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.raw_os_error() == Some(ERROR_SHARING_VIOLATION) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Takes the only right to close a run, which lasts as long as the file that is given back; `None` when another one has
/// it. A folder cannot be locked here, so a file in it is.
pub(crate) fn lock_for_closing(folder: &Path) -> std::io::Result<Option<File>> {
    let path = folder.join("closing");
    let file = File::options().write(true).create(true).truncate(false).open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}
