//! File properties on Unix.

use std::fs::Metadata;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{Access, access};

/// Whether this user may execute the file.
pub(crate) fn is_executable(path: &Path) -> bool {
    access(path, Access::EXEC_OK).is_ok()
}

/// Returns the command that makes a file executable.
pub(crate) fn make_executable_command(path: &Path) -> String {
    format!("chmod +x '{}'", path.display())
}

/// Returns the inode number.
pub(crate) fn file_number(metadata: &Metadata) -> u64 {
    metadata.ino()
}

/// Whether every user of the machine may read the file.
pub(crate) fn is_world_readable(metadata: &Metadata) -> bool {
    metadata.permissions().mode() & 0o004 != 0
}

/// Returns the command that makes a file private.
pub(crate) fn make_private_command(path: &Path) -> String {
    format!("chmod 600 '{}'", path.display())
}
