//! Waiting for the processes of a folder.

use std::path::Path;
use std::time::{Duration, Instant};

use super::processes_of;

/// The pause between two inspections.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A process with its command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Its id.
    pub pid: u32,
    /// Its command line, arguments separated by spaces.
    pub command: String,
}

/// Waits until the processes of the folder satisfy the condition; `false` after the timeout.
pub fn wait_for(
    folder: &Path,
    excluded: u32,
    timeout: Duration,
    condition: impl Fn(&[Process]) -> bool,
) -> bool {
    let deadline = Instant::now() + timeout;
    while !condition(&processes_of(folder, excluded)) {
        if Instant::now() >= deadline {
            return false;
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    true
}
