//! The host's folder on Windows: in the user's own folder, which is private. Access lists are not checked.

use std::fs::File;
use std::path::Path;

/// Creates a folder with its parents, unless it exists.
pub(crate) fn make_private_folder(path: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(path)
}

/// Access lists are not checked.
pub(crate) fn mode_for_others(_path: &Path) -> Option<u32> {
    None
}

/// Opens a file to append to, and creates it if necessary.
///
/// # Errors
/// When it cannot be opened.
pub fn open_private_file(path: &Path) -> std::io::Result<File> {
    File::options().create(true).append(true).open(path)
}
