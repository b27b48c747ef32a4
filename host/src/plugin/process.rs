//! One process in its own group, killed together with everything it started.
//!
//! On Linux the host inherits orphaned processes, so every process that a dead adapter leaves becomes a child of the
//! host and can be found. The registry distinguishes orphans from live adapter processes. It is locked while a process is
//! started and while orphans are searched, so that a new process is never mistaken for an orphan.

use std::collections::BTreeSet;
use std::process::ExitStatus;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::process::{Child, Command};

use super::{orphans, os};

use crate::sync::lock;

static LIVE: Mutex<LiveProcesses> =
    Mutex::new(LiveProcesses { pids: BTreeSet::new(), is_closed: false });

/// The live processes of this program.
#[derive(Debug)]
struct LiveProcesses {
    pids: BTreeSet<u32>,
    /// The program is about to exit: no process may be started.
    is_closed: bool,
}

const MAX_SWEEPS: usize = 200;
const MAX_BUSY_RETRIES: usize = 10;
const BUSY_RETRY_INTERVAL: Duration = Duration::from_millis(2);
const SWEEP_INTERVAL: Duration = Duration::from_millis(3);

/// A process whose group is killed on drop.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    pid: u32,
    started: u64,
    exit: Option<ExitStatus>,
}

/// A process that has exited; [`sweep`] kills the orphans that were started after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ended {
    started: u64,
}

/// Starts a process in its own group.
pub(crate) fn spawn(mut command: Command) -> std::io::Result<Process> {
    os::own_group(&mut command);
    command.kill_on_drop(true);
    let mut live = live();
    if live.is_closed {
        return Err(std::io::Error::other("the host is shutting down"));
    }
    let child = start(&mut command)?;
    let pid = child.id().ok_or_else(|| std::io::Error::other("the process has no id"))?;
    live.pids.insert(pid);
    Ok(Process { child, pid, started: start_time(pid), exit: None })
}

/// Retries while the executable is busy, because an installer is still writing it.
fn start(command: &mut Command) -> std::io::Result<Child> {
    for _ in 0..MAX_BUSY_RETRIES {
        match command.spawn() {
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(BUSY_RETRY_INTERVAL);
            }
            outcome => return outcome,
        }
    }
    command.spawn()
}

impl Process {
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// The child, for its pipes.
    pub(crate) fn inner(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Waits until it has exited. Cancel-safe.
    pub(crate) async fn exited(&mut self) -> Option<ExitStatus> {
        if self.exit.is_none() {
            self.exit = self.child.wait().await.ok();
            // Kill the rest of its group.
            od_os::process::kill_group(self.pid);
            live().pids.remove(&self.pid);
        }
        self.exit
    }

    /// Kills it and its group; [`sweep`] kills the processes that left the group.
    pub(crate) async fn stop(mut self) -> Ended {
        if self.exit.is_none() {
            od_os::process::kill_group(self.pid);
            // The process itself may have left its group.
            if let Err(error) = self.child.start_kill() {
                tracing::debug!(pid = self.pid, %error, "the process had already exited");
            }
            self.exited().await;
        }
        Ended { started: self.started }
    }

    /// Kills it and everything it started.
    pub(crate) async fn end(self) {
        sweep(self.stop().await).await;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.exit.is_none() {
            od_os::process::kill_group(self.pid);
            live().pids.remove(&self.pid);
        }
    }
}

/// Kills the orphans of an exited process: children of the host that are younger than it and are not live adapter
/// processes, with everything below them.
pub(crate) async fn sweep(ended: Ended) {
    for _ in 0..MAX_SWEEPS {
        let found = orphans::kill_adopted(ended.started, &live().pids);
        if found == 0 {
            return;
        }
        tokio::time::sleep(SWEEP_INTERVAL).await;
    }
    tracing::warn!("an orphaned process of an adapter cannot be killed");
}

/// Kills every process with everything below it, and prevents new ones. Without it, processes that do not wait for
/// stdin would outlive the host.
pub(crate) async fn end_all() {
    let first = {
        let mut live = live();
        live.is_closed = true;
        let pids = std::mem::take(&mut live.pids);
        pids.iter().for_each(|pid| od_os::process::kill_group(*pid));
        pids.iter().map(|pid| start_time(*pid)).filter(|started| *started > 0).min()
    };
    if let Some(started) = first {
        sweep(Ended { started }).await;
    }
}

/// Whether the program is about to exit, so that the exit of a process is expected.
pub(crate) fn is_closed() -> bool {
    live().is_closed
}

fn live() -> MutexGuard<'static, LiveProcesses> {
    lock(&LIVE)
}

/// When a process was started, in kernel ticks since boot; 0 when it has ended.
fn start_time(pid: u32) -> u64 {
    od_os::process::find(pid).map_or(0, |process| process.start_time)
}
