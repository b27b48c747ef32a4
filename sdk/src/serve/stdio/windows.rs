//! Written by the manuals; never run here. The handle is duplicated; a stray print still reaches
//! the pipe, which `clippy::print_stdout` keeps out of adapters.

use std::fs::File;
use std::io;
use std::os::windows::io::AsHandle;

/// Takes standard output for the protocol.
pub(crate) fn protect_stdout() -> io::Result<File> {
    Ok(File::from(io::stdout().as_handle().try_clone_to_owned()?))
}
