//! The host's folder on Unix: private to the user.

use std::fs::{DirBuilder, File};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Creates a folder with its parents that only the user can access, unless it exists.
pub(crate) fn make_private_folder(path: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// The mode of a folder that other users can access; `None` for a private one.
pub(crate) fn mode_for_others(path: &Path) -> Option<u32> {
    let mode = std::fs::metadata(path).ok()?.mode() & 0o7777;
    (mode & 0o077 != 0).then_some(mode)
}

/// Opens a file to append to; a new file can be read by the user only.
///
/// # Errors
/// When it cannot be opened.
pub fn open_private_file(path: &Path) -> std::io::Result<File> {
    File::options().create(true).append(true).mode(0o600).open(path)
}
