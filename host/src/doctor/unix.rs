//! Free space on Unix.

use std::path::Path;

/// The free space for this user, in bytes.
pub(super) fn free_bytes(path: &Path) -> Option<u64> {
    let space = rustix::fs::statvfs(path).ok()?;
    Some(space.f_bavail.saturating_mul(space.f_frsize))
}
