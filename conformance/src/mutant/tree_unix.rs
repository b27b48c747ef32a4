//! The processes below the adapter, on Unix. What is running is read by `crate::process`; here is
//! what an adapter does about it.

use std::collections::BTreeSet;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions};

use crate::process;

/// How long a killed process may take to vanish.
const VANISH: Duration = Duration::from_secs(2);

/// Makes orphans below this process its own children, so that they can be found.
pub(super) fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    // Without it only escapees of the group are missed; there is nobody to tell.
    let _unsupported = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// Gives the process a group of its own.
pub(super) fn own_group(command: &mut Command) {
    command.process_group(0);
}

/// Asks the leader to stop.
pub(super) fn interrupt(leader: u32) {
    signal(leader, Signal::INT);
}

/// Tells the leader alone to stop.
pub(super) fn terminate(leader: u32) {
    signal(leader, Signal::TERM);
}

/// Tells the whole group to stop.
pub(super) fn terminate_group(leader: u32) {
    signal_group(leader, Signal::TERM);
}

/// Ends the whole group.
pub(super) fn kill_group(leader: u32) {
    signal_group(leader, Signal::KILL);
}

/// Ends everything below this process, those excepted that `spared` names, and waits until it is
/// gone. Orphans are reaped; the leader is left to the thread that waits for it.
pub(super) fn sweep(leader: u32, spared: impl Fn(u32) -> bool) {
    let deadline = Instant::now() + VANISH;
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
        // It is no child of ours when its own parent outlived it; then there is nothing to take.
        let _not_ours = rustix::process::waitpid(Some(pid), WaitOptions::NOHANG);
    }
}

/// Whether a process is there at all.
pub(super) fn exists(pid: u32) -> bool {
    to_pid(pid)
        .is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

/// The signal that ended a process.
pub(super) fn signal_of(status: &ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(status)
}

/// Whether a file may be run by somebody.
pub(super) fn is_executable(metadata: &std::fs::Metadata) -> bool {
    metadata.is_file()
        && std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0
}

fn signal(pid: u32, signal: Signal) {
    if let Some(pid) = to_pid(pid) {
        // A process that is already gone is what is wanted.
        let _gone = rustix::process::kill_process(pid, signal);
    }
}

fn signal_group(leader: u32, signal: Signal) {
    if let Some(leader) = to_pid(leader) {
        // A group that is already gone is what is wanted.
        let _gone = rustix::process::kill_process_group(leader, signal);
    }
}

fn to_pid(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}
