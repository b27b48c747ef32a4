//! A Job Object holds the program and everything below it. Compiled only; no test runs here.

use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use process_wrap::std::{ChildWrapper, CommandWrap, JobObject};

use super::{Orphans, Pipes, Status};

/// How often [`Tree::wait_for_exit`] checks.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A started program and every process below it.
#[derive(Debug)]
pub struct Tree {
    child: Mutex<Box<dyn ChildWrapper>>,
    pid: u32,
}

impl Tree {
    /// Starts a program in its own Job Object.
    ///
    /// # Errors
    /// The program cannot be started.
    pub fn spawn(command: Command) -> std::io::Result<(Self, Pipes)> {
        let mut child = CommandWrap::from(command).wrap(JobObject).spawn()?;
        let pipes = Pipes {
            stdin: child.stdin().take(),
            stdout: child.stdout().take(),
            stderr: child.stderr().take(),
        };
        let pid = child.id();
        Ok((Self { child: Mutex::new(child), pid }, pipes))
    }

    /// The process id of the program.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Blocks until the program has ended.
    pub fn wait_for_exit(&self) {
        while matches!(self.with_child(|child| child.try_wait()), Ok(None)) {
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Does nothing: a process without a console gets no signal.
    pub fn interrupt(&self) {}

    /// Does nothing: a process without a console gets no signal.
    pub fn terminate(&self) {}

    /// Ends the whole Job Object.
    pub fn kill_all(&self, _orphans: Orphans<'_>) -> bool {
        self.with_child(|child| child.start_kill()).is_ok()
    }

    /// Collects the exit status of the program.
    pub fn reap(&self) -> Status {
        match self.with_child(|child| child.wait()) {
            Ok(status) => Status { code: status.code(), signal: None },
            Err(_) => Status::default(),
        }
    }

    fn with_child<T>(&self, work: impl FnOnce(&mut dyn ChildWrapper) -> T) -> T {
        work(&mut **self.child.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
