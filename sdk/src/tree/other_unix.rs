//! The process table of macOS and other Unix systems, from `ps`. Written by the manuals; never run
//! here.

use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, test_kill_process};

use super::unix::Process;

/// There is no subreaper here: groups and parents must do.
pub(crate) fn adopt_orphans() {}

/// Waits until a process is gone, looking four times a second.
pub(crate) fn wait_until_gone(pid: u32) -> bool {
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return false };
    while test_kill_process(pid).is_ok() {
        std::thread::sleep(Duration::from_millis(250));
    }
    true
}

/// Nothing spares the walk here.
pub(super) fn has_no_other_child(_pid: i32) -> bool {
    false
}

/// All processes.
pub(super) fn processes() -> Vec<Process> {
    let listing = Command::new("ps")
        .args(["-axo", "pid=,ppid=,pgid=,stat="])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    match listing {
        Ok(listing) => {
            String::from_utf8_lossy(&listing.stdout).lines().filter_map(parse_row).collect()
        }
        Err(error) => {
            tracing::warn!(%error, "the processes cannot be listed");
            Vec::new()
        }
    }
}

/// The environment of other processes cannot be read here.
pub(super) fn belongs_to_run(_pid: i32, _run_id: &str) -> bool {
    false
}

fn parse_row(row: &str) -> Option<Process> {
    let mut fields = row.split_ascii_whitespace();
    Some(Process {
        pid: fields.next()?.parse().ok()?,
        parent: fields.next()?.parse().ok()?,
        session: fields.next()?.parse().ok()?,
        zombie: fields.next()?.starts_with('Z'),
        start_time: 0,
    })
}
