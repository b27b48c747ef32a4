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

static LIVING: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

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
    let child = start(&mut command)?;
    let pid = child.id().ok_or_else(|| std::io::Error::other("the process has no id"))?;
    living.insert(pid);
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
            living().remove(&self.pid);
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
            living().remove(&self.pid);
        }
    }
}

/// Kills what a process has left behind: orphans of ours that are younger than it, belong to no
/// living process of ours, and everything below them.
pub(crate) async fn sweep(ended: Ended) {
    for _ in 0..SWEEP_ROUNDS {
        let found = os::sweep_once(ended.birth, &living());
        if found == 0 {
            return;
        }
        tokio::time::sleep(SWEEP_PAUSE).await;
    }
    tracing::warn!("something an adapter left behind does not die");
}

fn living() -> MutexGuard<'static, BTreeSet<u32>> {
    LIVING.lock().unwrap_or_else(PoisonError::into_inner)
}
