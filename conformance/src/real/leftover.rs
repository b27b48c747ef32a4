//! Processes that belong to a scenario: those whose environment names its folder. A child that
//! left its session or its parent is found as well.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::process;

/// How often it is looked again.
const POLL: Duration = Duration::from_millis(20);

/// A process with its command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Process {
    /// Its id.
    pub(crate) pid: u32,
    /// Its command line, words parted by blanks.
    pub(crate) command: String,
}

/// Every live process of the folder, but for this one.
pub(crate) fn processes_of(folder: &Path, but: u32) -> Vec<Process> {
    let wanted = folder.to_string_lossy().into_owned();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| *pid != but && *pid != std::process::id())
        .filter(|pid| read(*pid, "environ").contains(&wanted) && process::is_alive(*pid))
        .map(process)
        .collect()
}

/// A process with its command line, as far as it can be read.
pub(crate) fn process(pid: u32) -> Process {
    Process { pid, command: read(pid, "cmdline").trim().to_owned() }
}

/// Waits until the processes of the folder look as wanted; `false` when they never do.
pub(crate) fn wait_for(
    folder: &Path,
    but: u32,
    limit: Duration,
    is_so: impl Fn(&[Process]) -> bool,
) -> bool {
    let deadline = Instant::now() + limit;
    while !is_so(&processes_of(folder, but)) {
        if Instant::now() >= deadline {
            return false;
        }
        std::thread::sleep(POLL);
    }
    true
}

fn read(pid: u32, what: &str) -> String {
    let bytes = std::fs::read(format!("/proc/{pid}/{what}")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', " ")
}
