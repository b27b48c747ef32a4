//! Questions about files that Unix answers its own way.

use std::fs::Metadata;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{Access, access};

/// This user may start the file.
pub(crate) fn is_executable(path: &Path) -> bool {
    access(path, Access::EXEC_OK).is_ok()
}

/// What to type to make a file executable.
pub(crate) fn make_executable_command(path: &Path) -> String {
    format!("chmod +x '{}'", path.display())
}

/// The number of the file on its disk.
pub(crate) fn file_number(metadata: &Metadata) -> u64 {
    metadata.ino()
}

/// Everybody on the machine may read the file.
pub(crate) fn is_readable_by_everybody(metadata: &Metadata) -> bool {
    metadata.permissions().mode() & 0o004 != 0
}

/// What to type to close a file to others.
pub(crate) fn make_private_command(path: &Path) -> String {
    format!("chmod 600 '{}'", path.display())
}
