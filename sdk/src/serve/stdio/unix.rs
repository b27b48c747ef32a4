//! File descriptor 1 becomes a copy of 2; the protocol uses the original under another number.

use std::fs::File;
use std::io;

use rustix::stdio::{dup2_stdout, stderr, stdout};

/// Reserves standard output and returns it.
pub(crate) fn protect_stdout() -> io::Result<File> {
    let protocol = rustix::io::fcntl_dupfd_cloexec(stdout(), 3)?;
    dup2_stdout(stderr())?;
    Ok(File::from(protocol))
}
