//! File properties on Windows.

use std::fs::Metadata;
use std::os::windows::fs::MetadataExt;
use std::path::Path;

/// Returns `true`: the extension decides, and the search has checked it.
pub(crate) fn is_executable(_path: &Path) -> bool {
    true
}

/// Returns the command that removes the "from the internet" mark of a file.
pub(crate) fn make_executable_command(path: &Path) -> String {
    format!("Unblock-File '{}'", path.display())
}

/// Returns the creation time: Windows has no stable file number without a handle, and the creation
/// time distinguishes two files of one name as well.
pub(crate) fn file_number(metadata: &Metadata) -> u64 {
    metadata.creation_time()
}

/// Returns `false`: access lists are inherited from the profile folder, which is private.
pub(crate) fn is_world_readable(_metadata: &Metadata) -> bool {
    false
}

/// Returns the command that makes a file private.
pub(crate) fn make_private_command(path: &Path) -> String {
    format!("icacls \"{}\" /inheritance:r /grant:r \"%USERNAME%:F\"", path.display())
}
