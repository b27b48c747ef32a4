//! The ledger's files on Windows: below the user's own folder, and written by one process at a time.

use std::fs::File;
use std::os::windows::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

const FILE_SHARE_READ: u32 = 1;
const ERROR_SHARING_VIOLATION: i32 = 32;
/// A row takes less than a millisecond.
const PATIENCE: u32 = 400;
const PAUSE: Duration = Duration::from_millis(5);

/// Opens a file for one more row; waits while another process writes one.
pub(super) fn open_alone(path: &Path) -> std::io::Result<File> {
    let mut attempts = 0;
    loop {
        let mut options = File::options();
        options.read(true).append(true).create(true).share_mode(FILE_SHARE_READ);
        match options.open(path) {
            Err(error)
                if error.raw_os_error() == Some(ERROR_SHARING_VIOLATION) && attempts < PATIENCE =>
            {
                attempts += 1;
                std::thread::sleep(PAUSE);
            }
            outcome => return outcome,
        }
    }
}
