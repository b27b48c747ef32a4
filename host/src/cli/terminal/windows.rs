//! The console on Windows.

use std::fs::File;

/// The console's keys, even when stdin is a pipe. `None` without a console.
pub(super) fn open_input() -> Option<File> {
    File::options().read(true).write(true).open("CONIN$").ok()
}

/// Windows keeps no way to empty a console's input without unsafe calls; lines that were typed
/// ahead are dropped by the reader instead.
pub(super) fn forget_typed(_input: &File) {}
