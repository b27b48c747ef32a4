//! Signals and reaping, the same on every Unix.

use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, waitpid};

/// Kills a process. One that has ended is not an error.
pub fn kill(pid: u32) {
    if let Some(pid) = as_pid(pid)
        && let Err(error) = kill_process(pid, Signal::KILL)
    {
        tracing::trace!(?pid, %error, "process already ended");
    }
}

/// Kills every process of a group. A group without members is not an error.
pub fn kill_group(group: u32) {
    if let Some(group) = as_pid(group)
        && let Err(error) = kill_process_group(group, Signal::KILL)
    {
        tracing::trace!(?group, %error, "process group already ended");
    }
}

/// Reaps a child that has ended, without waiting for it.
pub fn reap(pid: u32) {
    if let Some(pid) = as_pid(pid)
        && let Err(error) = waitpid(Some(pid), WaitOptions::NOHANG)
    {
        tracing::trace!(?pid, %error, "process already reaped");
    }
}

/// Converts an id; `None` for 0 and for numbers that cannot be ids.
pub(super) fn as_pid(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}
