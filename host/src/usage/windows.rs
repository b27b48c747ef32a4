//! The ledger's files on Windows: in the user's own folder, and open in one process at a time.

use std::fs::File;
use std::os::windows::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

const FILE_SHARE_READ: u32 = 1;
const ERROR_SHARING_VIOLATION: i32 = 32;
/// Two seconds; writing a row takes less than a millisecond.
const MAX_ATTEMPTS: u32 = 400;
const RETRY_INTERVAL: Duration = Duration::from_millis(5);

/// Opens a file to append rows; waits while another process has it open.
pub(super) fn open_exclusive(path: &Path) -> std::io::Result<File> {
    let mut attempts = 0;
    loop {
        let mut options = File::options();
        options.read(true).append(true).create(true).share_mode(FILE_SHARE_READ);
        match options.open(path) {
            Err(error)
                if error.raw_os_error() == Some(ERROR_SHARING_VIOLATION)
                    && attempts < MAX_ATTEMPTS =>
            {
                attempts += 1;
                std::thread::sleep(RETRY_INTERVAL);
            }
            outcome => return outcome,
        }
    }
}
