//! The processes below the adapter, on Unix: signals and cleanup.

use std::collections::BTreeSet;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions};

use crate::process;

/// How long a killed process may take to exit.
const EXIT_LIMIT: Duration = Duration::from_secs(2);

/// Makes orphans below this process its children, so that they can be found.
pub(super) fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    // On failure only processes that left the group are missed.
    let _unsupported = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// Starts the process in a new group.
pub(super) fn own_group(command: &mut Command) {
    command.process_group(0);
}

/// Sends SIGINT to the leader.
pub(super) fn interrupt(leader: u32) {
    signal(leader, Signal::INT);
}

/// Sends SIGTERM to the leader only.
pub(super) fn terminate(leader: u32) {
    signal(leader, Signal::TERM);
}

/// Sends SIGTERM to the group.
pub(super) fn terminate_group(leader: u32) {
    signal_group(leader, Signal::TERM);
}

/// Kills the group.
pub(super) fn kill_group(leader: u32) {
    signal_group(leader, Signal::KILL);
}

/// Kills everything below this process except what `spared` selects, and waits until it has exited.
/// Orphans are reaped; the leader is left to the thread that waits for it.
pub(super) fn sweep(leader: u32, spared: impl Fn(u32) -> bool) {
    let deadline = Instant::now() + EXIT_LIMIT;
    let mut killed = BTreeSet::new();
    loop {
        let below = process::descendants(std::process::id());
        let targets: Vec<u32> = below.into_iter().filter(|pid| !spared(*pid)).collect();
        if targets.is_empty() || Instant::now() >= deadline {
            break;
        }
        targets.iter().for_each(|pid| process::kill(*pid));
        killed.extend(targets);
        std::thread::sleep(Duration::from_millis(1));
    }
    killed.remove(&leader);
    for pid in killed.into_iter().filter_map(to_pid) {
        // Not a child of this process while its parent lives; then there is nothing to reap.
        let _not_ours = rustix::process::waitpid(Some(pid), WaitOptions::NOHANG);
    }
}

/// Whether a process exists.
pub(super) fn exists(pid: u32) -> bool {
    to_pid(pid)
        .is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

/// The signal that ended a process.
pub(super) fn signal_of(status: &ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(status)
}

/// Whether a file is executable.
pub(super) fn is_executable(metadata: &std::fs::Metadata) -> bool {
    metadata.is_file()
        && std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0
}

fn signal(pid: u32, signal: Signal) {
    if let Some(pid) = to_pid(pid) {
        // An exited process is the wanted result.
        let _gone = rustix::process::kill_process(pid, signal);
    }
}

fn signal_group(leader: u32, signal: Signal) {
    if let Some(leader) = to_pid(leader) {
        // An exited group is the wanted result.
        let _gone = rustix::process::kill_process_group(leader, signal);
    }
}

fn to_pid(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}
