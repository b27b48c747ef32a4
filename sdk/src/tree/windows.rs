//! A Job Object holds the process and everything below it. Written by the manuals; never run here.

use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use process_wrap::std::{ChildWrapper, CommandWrap, JobObject};

use super::{Ownership, Pipes, Status};

/// How often an end is looked for.
const POLL: Duration = Duration::from_millis(20);

/// The Job Object keeps orphans anyway.
pub(crate) fn adopt_orphans() {}

/// A process of another kind cannot be watched without its handle; stdin tells when the host ends.
pub(crate) fn wait_until_gone(_pid: u32) -> bool {
    false
}

/// One started process and everything below it.
#[derive(Debug)]
pub(crate) struct Tree {
    child: Mutex<Box<dyn ChildWrapper>>,
    pid: u32,
}

impl Tree {
    /// Starts a process in a Job Object of its own.
    pub(crate) fn spawn(command: Command) -> std::io::Result<(Self, Pipes)> {
        let mut child = CommandWrap::from(command).wrap(JobObject).spawn()?;
        let pipes = Pipes {
            stdin: child.stdin().take(),
            stdout: child.stdout().take(),
            stderr: child.stderr().take(),
        };
        let pid = child.id();
        Ok((Self { child: Mutex::new(child), pid }, pipes))
    }

    /// The process itself.
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// Waits until the process has ended.
    pub(crate) fn wait_for_exit(&self) {
        while matches!(self.with_child(|child| child.try_wait()), Ok(None)) {
            std::thread::sleep(POLL);
        }
    }

    /// There is no gentle signal for a process without a console.
    pub(crate) fn interrupt(&self) {}

    /// There is no gentle signal for a process without a console.
    pub(crate) fn terminate(&self) {}

    /// Ends the whole Job Object.
    pub(crate) fn kill_all(&self, _ownership: Ownership<'_>) -> bool {
        self.with_child(|child| child.start_kill()).is_ok()
    }

    /// Collects the process's end.
    pub(crate) fn reap(&self) -> Status {
        match self.with_child(|child| child.wait()) {
            Ok(status) => Status { code: status.code(), signal: None },
            Err(_) => Status::default(),
        }
    }

    fn with_child<T>(&self, work: impl FnOnce(&mut dyn ChildWrapper) -> T) -> T {
        work(&mut **self.child.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
