//! Adapter processes on Windows: an adapter keeps its tree in a Job Object that ends with it, so
//! ending the adapter is enough.

use std::process::ExitStatus;

use tokio::process::Command;

/// Keeps Ctrl-C of the console away from the process.
pub(crate) fn own_group(command: &mut Command) {
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
}

/// Does nothing: Windows has no such limit.
pub(crate) fn raise_file_limit() -> std::io::Result<()> {
    Ok(())
}

/// Describes how a process ended.
pub(crate) fn describe_exit(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("exit code {code}"),
        None => "unknown exit status".to_owned(),
    }
}
