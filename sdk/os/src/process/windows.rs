//! Windows: Job Objects keep process trees together (see [`crate::tree`]), so no process table is
//! read. Compiled only; no test runs here.

use std::io::{self, PipeReader};
use std::path::PathBuf;

use super::Process;

/// Windows has no orphans to adopt: a Job Object keeps the whole tree.
pub const ADOPTS_ORPHANS: bool = false;

/// Does nothing: Windows has no such role.
///
/// # Errors
/// None.
pub fn adopt_orphans() -> io::Result<()> {
    Ok(())
}

/// Returns `false`: a process cannot be watched without its handle.
pub fn wait_until_exited(_pid: u32) -> bool {
    false
}

/// No cheap check exists here.
pub(crate) fn has_no_other_child(_pid: u32) -> bool {
    false
}

/// Returns an empty list.
pub(super) fn list() -> Vec<Process> {
    Vec::new()
}

/// Returns `None`.
pub fn find(_pid: u32) -> Option<Process> {
    None
}

/// Returns `None`: not implemented here.
pub fn environment_variable(_pid: u32, _name: &str) -> Option<String> {
    None
}

/// Returns `None`: not implemented here.
pub fn command_line(_pid: u32) -> Option<Vec<String>> {
    None
}

/// Returns `None`: Windows has no process id namespaces.
pub fn pid_namespace(_pid: u32) -> Option<PathBuf> {
    None
}

/// Returns `false`: not implemented here.
pub fn is_owned_by_this_user(_pid: u32) -> bool {
    false
}

/// Returns `None`: needs a system library that this crate does not link.
pub fn resident_bytes() -> Option<u64> {
    None
}

/// Returns `None`: needs a system library that this crate does not link.
pub fn open_files() -> Option<u64> {
    None
}

/// Does nothing: the size of a pipe is fixed here.
pub fn enlarge_pipe(_pipe: &PipeReader) {}

/// Does nothing: ending an adapter ends its Job Object.
pub fn kill(_pid: u32) {}

/// Does nothing: Windows has no process groups to kill.
pub fn kill_group(_group: u32) {}

/// Does nothing: Windows has no zombies.
pub fn reap(_pid: u32) {}
