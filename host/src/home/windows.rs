//! The host's folder on Windows: below the user's own folder it is the user's own. Access lists are not read.

use std::fs::File;
use std::path::Path;

/// Makes a folder with its parents, unless it is there.
pub(crate) fn make_private_folder(path: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(path)
}

/// Not known.
pub(crate) fn mode_for_others(_path: &Path) -> Option<u32> {
    None
}

/// Opens a file to write on, a new one if need be.
///
/// # Errors
/// When it cannot be opened.
pub fn open_private_file(path: &Path) -> std::io::Result<File> {
    File::options().create(true).append(true).open(path)
}
