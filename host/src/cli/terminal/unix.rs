//! The controlling terminal on Unix.

use std::fs::File;
use std::os::fd::AsFd;

use rustix::termios::{QueueSelector, tcflush};

/// The terminal's keys, even when stdin is a pipe. `None` without a terminal.
pub(super) fn open_input() -> Option<File> {
    File::open("/dev/tty").ok()
}

/// Forgets what was typed before a question was asked: it cannot be meant as an answer to it.
pub(super) fn forget_typed(input: &File) {
    if let Err(error) = tcflush(input.as_fd(), QueueSelector::IFlush) {
        tracing::debug!(%error, "cannot empty the terminal's input");
    }
}
