//! A started program with every process below it, ended together.
//!
//! Programs start their tools in sessions of their own, so a signal to the program's group is not
//! enough. On Linux the caller adopts orphans ([`crate::process::adopt_orphans`]) and the tree is
//! found through parents, sessions and environment variables; on macOS through parents and groups;
//! on Windows a Job Object holds all of it.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::Tree;
#[cfg(windows)]
pub use windows::Tree;

use std::process::{ChildStderr, ChildStdin, ChildStdout};

/// The pipes of a started program, as far as its command asked for them.
#[derive(Debug)]
pub struct Pipes {
    /// Standard input.
    pub stdin: Option<ChildStdin>,
    /// Standard output.
    pub stdout: Option<ChildStdout>,
    /// Standard error.
    pub stderr: Option<ChildStderr>,
}

/// How a program ended; both fields are `None` when it is unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Status {
    /// Its exit code.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

/// Which adopted orphans of this process belong to a tree, besides those in the program's session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Orphans<'a> {
    /// All of them: no other program of this process is running.
    All,
    /// Those that were started with this environment variable and value.
    With {
        /// The variable's name.
        variable: &'a str,
        /// Its value.
        value: &'a str,
    },
    /// None, and no other child is reaped: other parts of this process own their children.
    None,
}
