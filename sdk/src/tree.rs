//! The processes of a run: started in a session of their own, ended with everything they started.
//!
//! An agent CLI starts its tools in sessions of their own, so a signal to its group is not enough.
//! On Linux the adapter adopts orphans (subreaper) and walks the descendants; on macOS it walks
//! parents and groups; on Windows a Job Object holds them all.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(all(unix, not(target_os = "linux")))]
mod other_unix;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::{Tree, adopt_orphans, wait_until_gone};
#[cfg(windows)]
pub(crate) use windows::{Tree, adopt_orphans, wait_until_gone};

use std::process::{ChildStderr, ChildStdin, ChildStdout};

/// The three pipes of a started process.
#[derive(Debug)]
pub(crate) struct Pipes {
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: Option<ChildStdout>,
    pub(crate) stderr: Option<ChildStderr>,
}

/// How the started process ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Status {
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
}

/// Which strays an ending run may take with it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ownership<'a> {
    /// The value of `OD_RUN_ID` in the environment of its processes.
    pub(crate) run_id: &'a str,
    /// No other run is alive: every orphan this adapter has adopted is this run's.
    pub(crate) alone: bool,
}
