//! The host's folder on Unix: nobody else looks into it.

use std::fs::{DirBuilder, File};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Makes a folder that only the user can look into, with its parents, unless it is there.
pub(crate) fn make_private_folder(path: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// The mode of a folder that others can look into.
pub(crate) fn mode_for_others(path: &Path) -> Option<u32> {
    let mode = std::fs::metadata(path).ok()?.mode() & 0o7777;
    (mode & 0o077 != 0).then_some(mode)
}

/// Opens a file to write on; a new one can be read by the user alone.
///
/// # Errors
/// When it cannot be opened.
pub fn open_private_file(path: &Path) -> std::io::Result<File> {
    File::options().create(true).append(true).mode(0o600).open(path)
}
