//! One process in its own group: started, ended with everything it started, and swept up after.
//!
//! The host is the process that inherits orphans (on Linux), so what a dead adapter leaves becomes a
//! child of ours and can be found. The registry tells those orphans from our living processes; it is
//! locked while a process is started and while a sweep looks, so that neither sees half of the other.

use std::collections::BTreeSet;
use std::process::ExitStatus;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::process::{Child, Command};

use super::os;

static LIVING: Mutex<Living> = Mutex::new(Living { pids: BTreeSet::new(), closed: false });

/// The processes of this program that are alive.
#[derive(Debug)]
struct Living {
    pids: BTreeSet<u32>,
    /// The program is about to exit: none is started any more.
    closed: bool,
}

const SWEEP_ROUNDS: usize = 200;
const BUSY_TRIES: usize = 10;
const BUSY_PAUSE: Duration = Duration::from_millis(2);
const SWEEP_PAUSE: Duration = Duration::from_millis(3);

/// A process that dies with its group when this is dropped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    pid: u32,
    birth: u64,
    exit: Option<ExitStatus>,
}

/// What is left to do after a process has ended: sweep what came after `birth`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ended {
    birth: u64,
}

/// Starts a process in its own group.
pub(crate) fn spawn(mut command: Command) -> std::io::Result<Process> {
    os::own_group(&mut command);
    command.kill_on_drop(true);
    let mut living = living();
    if living.closed {
        return Err(std::io::Error::other("the host is about to end"));
    }
    let child = start(&mut command)?;
    let pid = child.id().ok_or_else(|| std::io::Error::other("the process has no id"))?;
    living.pids.insert(pid);
    Ok(Process { child, pid, birth: os::birth(pid), exit: None })
}

/// An executable that is just being installed is busy for a moment.
fn start(command: &mut Command) -> std::io::Result<Child> {
    for _ in 0..BUSY_TRIES {
        match command.spawn() {
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(BUSY_PAUSE);
            }
            outcome => return outcome,
        }
    }
    command.spawn()
}

impl Process {
    /// Its id.
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// Its pipes.
    pub(crate) fn inner(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Waits until it has ended. May be dropped while it waits.
    pub(crate) async fn exited(&mut self) -> Option<ExitStatus> {
        if self.exit.is_none() {
            self.exit = self.child.wait().await.ok();
            // What is left of its group goes with it.
            os::kill_group(self.pid);
            living().pids.remove(&self.pid);
        }
        self.exit
    }

    /// Kills it with its group; what left the group is swept by [`sweep`].
    pub(crate) async fn stop(mut self) -> Ended {
        if self.exit.is_none() {
            os::kill_group(self.pid);
            // It may have left its own group.
            if let Err(error) = self.child.start_kill() {
                tracing::debug!(pid = self.pid, %error, "the process was gone already");
            }
            self.exited().await;
        }
        Ended { birth: self.birth }
    }

    /// Kills it and everything it has started.
    pub(crate) async fn end(self) {
        sweep(self.stop().await).await;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.exit.is_none() {
            os::kill_group(self.pid);
            living().pids.remove(&self.pid);
        }
    }
}

/// Kills what a process has left behind: orphans of ours that are younger than it, belong to no
/// living process of ours, and everything below them.
pub(crate) async fn sweep(ended: Ended) {
    for _ in 0..SWEEP_ROUNDS {
        let found = os::sweep_once(ended.birth, &living().pids);
        if found == 0 {
            return;
        }
        tokio::time::sleep(SWEEP_PAUSE).await;
    }
    tracing::warn!("something an adapter left behind does not die");
}

/// Kills every process with everything below it, and lets none be started any more: whoever exits without this
/// leaves those behind that wait for something else than stdin.
pub(crate) async fn end_all() {
    let first = {
        let mut living = living();
        living.closed = true;
        let pids = std::mem::take(&mut living.pids);
        pids.iter().for_each(|pid| os::kill_group(*pid));
        pids.iter().map(|pid| os::birth(*pid)).filter(|birth| *birth > 0).min()
    };
    if let Some(birth) = first {
        sweep(Ended { birth }).await;
    }
}

/// Whether the program is about to exit, so that the end of a process says nothing about it.
pub(crate) fn is_closed() -> bool {
    living().closed
}

fn living() -> MutexGuard<'static, Living> {
    LIVING.lock().unwrap_or_else(PoisonError::into_inner)
}
