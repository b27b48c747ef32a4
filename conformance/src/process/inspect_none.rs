//! Systems without `/proc`: nothing can be inspected, and checks that need it are skipped.

use std::path::Path;
use std::time::Duration;

use super::wait::Process;

/// Whether the suite can inspect other processes on this system.
pub const CAN_INSPECT: bool = false;

/// Whether a process exists; unknown here, so callers test [`CAN_INSPECT`] first.
pub fn is_alive(_pid: u32) -> bool {
    false
}

/// Returns every live descendant of a process; none can be seen here.
pub fn descendants(_ancestor: u32) -> Vec<u32> {
    Vec::new()
}

/// Returns every live process whose executable is in the folder; none can be seen here.
pub fn running_from(_folder: &Path) -> Vec<u32> {
    Vec::new()
}

/// Returns every process that works below the folder; none can be seen here.
pub fn left_below(_folder: &Path) -> Vec<u32> {
    Vec::new()
}

/// Returns every live process whose environment contains the folder; none can be seen here.
pub fn processes_of(_folder: &Path, _excluded: u32) -> Vec<Process> {
    Vec::new()
}

/// Returns a process without its command line, which cannot be read here.
pub fn command_line(pid: u32) -> Process {
    Process { pid, command: String::new() }
}

/// Returns the number of open files of a process; unknown here.
pub fn open_files(_pid: u32) -> Option<usize> {
    None
}

/// Returns the resident memory of a process; unknown here.
pub fn memory_kib(_pid: u32) -> Option<u64> {
    None
}

/// Returns the processor time that a process has used; unknown here.
pub fn cpu_time(_pid: u32) -> Option<Duration> {
    None
}

/// Returns the number of zombie children of a process; unknown here.
pub fn zombies(_parent: u32) -> usize {
    0
}
