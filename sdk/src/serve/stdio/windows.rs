//! The handle is duplicated; a stray print still reaches the pipe, which `clippy::print_stdout`
//! prevents in adapters. Compiled only; no test runs here.

use std::fs::File;
use std::io;
use std::os::windows::io::AsHandle;

/// Reserves standard output and returns it.
pub(crate) fn protect_stdout() -> io::Result<File> {
    Ok(File::from(io::stdout().as_handle().try_clone_to_owned()?))
}
