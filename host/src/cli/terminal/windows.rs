//! The console on Windows.

use std::fs::File;

/// Opens the console for reading, even when stdin is a pipe. `None` without a console.
pub(super) fn open_input() -> Option<File> {
    File::options().read(true).write(true).open("CONIN$").ok()
}

/// Does nothing: Windows cannot discard a console's input without unsafe calls. The reader drops lines typed ahead.
pub(super) fn discard_input(_input: &File) {}
