//! The controlling terminal on Unix.

use std::fs::File;
use std::os::fd::AsFd;

use rustix::process::getpgrp;
use rustix::termios::{QueueSelector, tcflush, tcgetpgrp};

/// Opens the terminal for reading, even when stdin is a pipe. `None` without a terminal, and in the background, where
/// reading would stop the process.
pub(super) fn open_input() -> Option<File> {
    let terminal = File::open("/dev/tty").ok()?;
    let foreground = tcgetpgrp(terminal.as_fd()).ok()?;
    (foreground == getpgrp()).then_some(terminal)
}

/// Discards what was typed before a question.
pub(super) fn discard_input(input: &File) {
    if let Err(error) = tcflush(input.as_fd(), QueueSelector::IFlush) {
        tracing::debug!(%error, "cannot discard the terminal's input");
    }
}
