//! Questions about files that Windows answers its own way.

use std::fs::Metadata;
use std::os::windows::fs::MetadataExt;
use std::path::Path;

/// Whether a file starts is told by its extension, which the search has looked at.
pub(crate) fn is_executable(_path: &Path) -> bool {
    true
}

/// What to type to take the mark of the internet off a file.
pub(crate) fn make_executable_command(path: &Path) -> String {
    format!("Unblock-File '{}'", path.display())
}

/// Windows shows no stable file number without a handle; the time of creation tells two files of
/// one name apart as well.
pub(crate) fn file_number(metadata: &Metadata) -> u64 {
    metadata.creation_time()
}

/// Access lists are inherited from the profile folder, which is private.
pub(crate) fn is_readable_by_everybody(_metadata: &Metadata) -> bool {
    false
}

/// What to type to close a file to others.
pub(crate) fn make_private_command(path: &Path) -> String {
    format!("icacls \"{}\" /inheritance:r /grant:r \"%USERNAME%:F\"", path.display())
}
