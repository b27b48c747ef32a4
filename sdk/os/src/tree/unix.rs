//! Sessions, signals and the sweep on Unix.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::process::Command;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use process_wrap::std::{CommandWrap, ProcessSession};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process_group, waitid, waitpid,
};

use super::{Orphans, Pipes, Status};
use crate::process::{self, Process, ProcessTable};

/// A process that survives SIGKILL for this long hangs in the kernel: the sweep stops waiting.
const SWEEP_LIMIT: Duration = Duration::from_secs(2);

/// The longest pause between two passes of the sweep.
const MAX_SWEEP_PAUSE: Duration = Duration::from_millis(20);

/// The programs this process has started through [`Tree::spawn`] and not reaped yet.
static STARTED: LazyLock<Mutex<HashSet<u32>>> = LazyLock::new(Mutex::default);

/// A started program and every process below it.
///
/// ```
/// use std::process::{Command, Stdio};
///
/// use od_os::tree::{Orphans, Tree};
///
/// let mut command = Command::new("/bin/sh");
/// command.args(["-c", "sleep 1000 & exit 3"]).stdout(Stdio::null());
/// let (tree, _pipes) = Tree::spawn(command)?;
/// tree.wait_for_exit();
/// assert!(tree.kill_all(Orphans::None), "nothing of it is alive");
/// assert_eq!(tree.reap().code, Some(3));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Tree {
    pid: Pid,
}

impl Tree {
    /// Starts a program in its own session: without a terminal, as leader of one group.
    ///
    /// # Errors
    /// The program cannot be started.
    pub fn spawn(command: Command) -> std::io::Result<(Self, Pipes)> {
        // The lock is held during the start so that a concurrent sweep does not mistake the new
        // child for an orphan.
        let mut started = started();
        let mut child = CommandWrap::from(command).wrap(ProcessSession).spawn()?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| std::io::Error::other("the system returned no process id"))?;
        started.insert(child.id());
        let pipes = Pipes {
            stdin: child.stdin().take(),
            stdout: child.stdout().take(),
            stderr: child.stderr().take(),
        };
        // `reap` collects the exit status, so the handle is not needed.
        Ok((Self { pid }, pipes))
    }

    /// The process id of the program.
    pub fn pid(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// Blocks until the program has ended. It stays a zombie, so that its id is not reused before
    /// [`Tree::reap`].
    pub fn wait_for_exit(&self) {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(self.pid), options) {}
    }

    /// Sends SIGINT to the group.
    pub fn interrupt(&self) {
        self.signal_group(Signal::INT);
    }

    /// Sends SIGTERM to the group.
    pub fn terminate(&self) {
        self.signal_group(Signal::TERM);
    }

    /// Kills the program and everything below it until nothing is alive. Returns `false` when a
    /// process survives SIGKILL.
    pub fn kill_all(&self, orphans: Orphans<'_>) -> bool {
        let deadline = Instant::now() + SWEEP_LIMIT;
        let mut known: HashMap<u32, u64> = HashMap::new();
        let mut pause = Duration::from_millis(1);
        loop {
            let members = self.members(orphans, &known);
            self.signal_group(Signal::KILL);
            if members.is_empty() {
                return true;
            }
            for member in &members {
                known.insert(member.pid, member.start_time);
                process::kill(member.pid);
            }
            if Instant::now() > deadline {
                tracing::warn!(?members, "processes survive SIGKILL");
                return false;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(MAX_SWEEP_PAUSE);
        }
    }

    /// Collects the exit status of the program. Call it once, after [`Tree::wait_for_exit`] or
    /// [`Tree::kill_all`].
    pub fn reap(&self) -> Status {
        let status = waitpid(Some(self.pid), WaitOptions::empty()).ok().flatten();
        started().remove(&self.pid());
        match status {
            Some((_, status)) => {
                Status { code: status.exit_status(), signal: status.terminating_signal() }
            }
            None => Status::default(),
        }
    }

    fn signal_group(&self, signal: Signal) {
        // A group without members is not an error.
        kill_process_group(self.pid, signal).ok();
    }

    /// Lists the living processes of the tree and reaps adopted ones that have ended. `known` has
    /// the members of earlier passes: an adopted one may have left the program's session.
    fn members(&self, orphans: Orphans<'_>, known: &HashMap<u32, u64>) -> Vec<Process> {
        if process::has_no_other_child(self.pid()) {
            return Vec::new();
        }
        let own = std::process::id();
        let started = started().clone();
        let table = ProcessTable::read();
        let mut roots = BTreeSet::from([self.pid()]);
        for process in table.iter() {
            if process.parent != own || started.contains(&process.pid) {
                continue;
            }
            let is_known = process.session == self.pid()
                || known.get(&process.pid) == Some(&process.start_time);
            if process.has_ended {
                if is_known || orphans != Orphans::None {
                    process::reap(process.pid);
                }
            } else if is_known || belongs_to(orphans, process.pid) {
                roots.insert(process.pid);
            }
        }
        let members = table.with_descendants(&roots).into_iter();
        members
            .filter_map(|pid| table.get(pid))
            .filter(|member| !member.has_ended)
            .copied()
            .collect()
    }
}

fn belongs_to(orphans: Orphans<'_>, pid: u32) -> bool {
    match orphans {
        Orphans::All => true,
        Orphans::With { variable, value } => {
            process::environment_variable(pid, variable).is_some_and(|found| found == value)
        }
        Orphans::None => false,
    }
}

fn started() -> MutexGuard<'static, HashSet<u32>> {
    STARTED.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;

    use super::*;

    /// Starts a shell and returns the first line it prints.
    fn start(script: &str) -> (Tree, String) {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).stdin(Stdio::null()).stdout(Stdio::piped());
        let (tree, pipes) = Tree::spawn(command).expect("a shell can be started");
        let mut line = String::new();
        let stdout = pipes.stdout.expect("stdout is a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        (tree, line.trim().to_owned())
    }

    fn is_alive(pid: &str) -> bool {
        let pid = pid.parse().expect("a process id");
        process::find(pid).is_some_and(|process| !process.has_ended)
    }

    #[test]
    fn kill_all_ends_program_and_background_job() {
        let (tree, job) = start("sleep 1000 & echo $!; wait");
        assert!(is_alive(&job));
        assert!(tree.kill_all(Orphans::None));
        assert!(!is_alive(&job));
        assert_eq!(tree.reap(), Status { code: None, signal: Some(9) });
    }

    #[test]
    fn terminate_ends_program_with_signal() {
        let (tree, _) = start("echo ready; exec sleep 1000");
        tree.terminate();
        tree.wait_for_exit();
        assert!(tree.kill_all(Orphans::None));
        assert_eq!(tree.reap(), Status { code: None, signal: Some(15) });
    }
}
