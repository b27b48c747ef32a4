//! Sessions, signals and the sweep on Unix. How processes are listed differs by system and lives
//! in `linux.rs` and `other_unix.rs`.

use std::collections::{HashMap, HashSet};
use std::process::Command;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use process_wrap::std::{CommandWrap, ProcessSession};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process, kill_process_group, waitid,
    waitpid,
};

#[cfg(target_os = "linux")]
use super::linux as listing;
#[cfg(not(target_os = "linux"))]
use super::other_unix as listing;
use super::{Ownership, Pipes, Status};

pub(crate) use listing::{adopt_orphans, wait_until_gone};

/// A process that does not die by SIGKILL within this time hangs in the kernel; we go on.
const SWEEP_LIMIT: Duration = Duration::from_secs(2);

/// The processes this adapter has started itself and not reaped yet.
static STARTED: LazyLock<Mutex<HashSet<i32>>> = LazyLock::new(Mutex::default);

/// One row of the process table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: i32,
    pub(super) parent: i32,
    /// The session on Linux, the group elsewhere.
    pub(super) session: i32,
    pub(super) zombie: bool,
    /// Tells a process from a later one of the same number; 0 where the system does not say.
    pub(super) start_time: u64,
}

/// One started process and everything below it.
#[derive(Debug)]
pub(crate) struct Tree {
    pid: Pid,
}

impl Tree {
    /// Starts a process in a session of its own: no terminal, one group.
    pub(crate) fn spawn(command: Command) -> std::io::Result<(Self, Pipes)> {
        // The lock is held over the start so that a sweep never takes a newborn for a stray.
        let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
        let mut child = CommandWrap::from(command).wrap(ProcessSession).spawn()?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| std::io::Error::other("the system gave no process id"))?;
        started.insert(pid.as_raw_nonzero().get());
        let pipes = Pipes {
            stdin: child.stdin().take(),
            stdout: child.stdout().take(),
            stderr: child.stderr().take(),
        };
        // Reaping is ours (see `reap`), so the handle is let go here.
        Ok((Self { pid }, pipes))
    }

    /// The process itself.
    pub(crate) fn pid(&self) -> u32 {
        self.raw().unsigned_abs()
    }

    /// Waits until the process has ended. It stays a zombie, so its number cannot be given to
    /// another before [`Tree::reap`].
    pub(crate) fn wait_for_exit(&self) {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(self.pid), options) {}
    }

    /// SIGINT to the group.
    pub(crate) fn interrupt(&self) {
        self.signal_group(Signal::INT);
    }

    /// SIGTERM to the group.
    pub(crate) fn terminate(&self) {
        self.signal_group(Signal::TERM);
    }

    /// Ends whatever is left, until nothing is. `true` means nothing is.
    pub(crate) fn kill_all(&self, ownership: Ownership<'_>) -> bool {
        let deadline = Instant::now() + SWEEP_LIMIT;
        let mut known: HashMap<i32, u64> = HashMap::new();
        let mut pause = Duration::from_millis(1);
        loop {
            let members = self.members(ownership, &known);
            self.signal_group(Signal::KILL);
            if members.is_empty() {
                return true;
            }
            for member in &members {
                known.insert(member.pid, member.start_time);
                if let Some(pid) = Pid::from_raw(member.pid) {
                    // It may have ended by itself in between.
                    kill_process(pid, Signal::KILL).ok();
                }
            }
            if Instant::now() > deadline {
                tracing::warn!(?members, "processes survive SIGKILL");
                return false;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }

    /// Collects the process's end. Called once, after [`Tree::wait_for_exit`] or the sweep.
    pub(crate) fn reap(&self) -> Status {
        let status = waitpid(Some(self.pid), WaitOptions::empty()).ok().flatten();
        STARTED.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.raw());
        match status {
            Some((_, status)) => {
                Status { code: status.exit_status(), signal: status.terminating_signal() }
            }
            None => Status::default(),
        }
    }

    fn raw(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    fn signal_group(&self, signal: Signal) {
        // A group without members is no failure.
        kill_process_group(self.pid, signal).ok();
    }

    /// The living processes of this run; adopted ones that have ended are reaped on the way.
    fn members(&self, ownership: Ownership<'_>, known: &HashMap<i32, u64>) -> Vec<Process> {
        if listing::has_no_other_child(self.raw()) {
            return Vec::new();
        }
        let own = i32::try_from(std::process::id()).unwrap_or_default();
        let started = STARTED.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let table = listing::processes();
        let is_stray = |process: &Process| process.parent == own && !started.contains(&process.pid);
        let mut roots = vec![self.raw()];
        for process in table.iter().filter(|process| is_stray(process)) {
            if process.zombie {
                if let Some(pid) = Pid::from_raw(process.pid) {
                    waitpid(Some(pid), WaitOptions::NOHANG).ok();
                }
            } else if ownership.alone
                || process.session == self.raw()
                || known.get(&process.pid) == Some(&process.start_time)
                || listing::belongs_to_run(process.pid, ownership.run_id)
            {
                roots.push(process.pid);
            }
        }
        below(&table, &roots)
    }
}

/// The roots and everything below them, zombies left out.
fn below(table: &[Process], roots: &[i32]) -> Vec<Process> {
    let mut wanted: HashSet<i32> = roots.iter().copied().collect();
    loop {
        let before = wanted.len();
        for process in table {
            if wanted.contains(&process.parent) {
                wanted.insert(process.pid);
            }
        }
        if wanted.len() == before {
            break;
        }
    }
    table
        .iter()
        .filter(|process| wanted.contains(&process.pid) && !process.zombie)
        .copied()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: i32, parent: i32, zombie: bool) -> Process {
        Process { pid, parent, session: pid, zombie, start_time: 0 }
    }

    #[test]
    fn below_finds_every_generation_in_any_order() {
        let table = [
            process(30, 20, false),
            process(20, 10, true),
            process(10, 1, false),
            process(99, 1, false),
        ];
        let pids: Vec<i32> = below(&table, &[10]).iter().map(|process| process.pid).collect();
        assert_eq!(pids, [30, 10]);
    }
}
