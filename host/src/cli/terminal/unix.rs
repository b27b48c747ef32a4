//! The controlling terminal on Unix.

use std::fs::File;
use std::os::fd::AsFd;

use rustix::process::getpgrp;
use rustix::termios::{QueueSelector, tcflush, tcgetpgrp};

/// The terminal's keys, even when stdin is a pipe. `None` without a terminal, and in the background,
/// where reading would stop the process.
pub(super) fn open_input() -> Option<File> {
    let terminal = File::open("/dev/tty").ok()?;
    let foreground = tcgetpgrp(terminal.as_fd()).ok()?;
    (foreground == getpgrp()).then_some(terminal)
}

/// Forgets what was typed before a question was asked: it cannot be meant as an answer to it.
pub(super) fn forget_typed(input: &File) {
    if let Err(error) = tcflush(input.as_fd(), QueueSelector::IFlush) {
        tracing::debug!(%error, "cannot empty the terminal's input");
    }
}
