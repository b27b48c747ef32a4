//! The process table of macOS and other Unix systems, from `ps`. Compiled only; no test runs here.

use std::io::{self, PipeReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::test_kill_process;

use super::Process;
use super::unix::as_pid;

/// How often [`wait_until_exited`] checks.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// These systems give orphans to the first process.
pub const ADOPTS_ORPHANS: bool = false;

/// Does nothing: these systems have no such role.
///
/// # Errors
/// None.
pub fn adopt_orphans() -> io::Result<()> {
    Ok(())
}

/// Blocks until a process has ended. Returns `false` at once when it cannot be watched.
pub fn wait_until_exited(pid: u32) -> bool {
    let Some(pid) = as_pid(pid) else { return false };
    while test_kill_process(pid).is_ok() {
        std::thread::sleep(POLL_INTERVAL);
    }
    true
}

/// No cheap check exists here.
pub(crate) fn has_no_other_child(_pid: u32) -> bool {
    false
}

/// Lists all processes.
pub(super) fn list() -> Vec<Process> {
    run_ps(&["-axo", "pid=,ppid=,pgid=,stat="])
}

/// Reads one process; `None` when it does not exist.
pub fn find(pid: u32) -> Option<Process> {
    run_ps(&["-o", "pid=,ppid=,pgid=,stat=", "-p", &pid.to_string()]).into_iter().next()
}

fn run_ps(args: &[&str]) -> Vec<Process> {
    let output = Command::new("ps").args(args).stdin(Stdio::null()).stderr(Stdio::null()).output();
    match output {
        Ok(output) => {
            String::from_utf8_lossy(&output.stdout).lines().filter_map(parse_row).collect()
        }
        Err(error) => {
            tracing::warn!(%error, "cannot list processes");
            Vec::new()
        }
    }
}

fn parse_row(row: &str) -> Option<Process> {
    let mut fields = row.split_ascii_whitespace();
    let pid = fields.next()?.parse().ok()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    let has_ended = fields.next()?.starts_with('Z');
    Some(Process { pid, parent, group, session: group, start_time: 0, has_ended })
}

/// Returns `None`: these systems do not show the environment of other processes.
pub fn environment_variable(_pid: u32, _name: &str) -> Option<String> {
    None
}

/// Returns `None`: not implemented here.
pub fn command_line(_pid: u32) -> Option<Vec<String>> {
    None
}

/// Returns `None`: these systems have no process id namespaces.
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
