//! Adapter processes on Unix.

use std::process::ExitStatus;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::process::Command;

/// The limit on open files where the system has no maximum; some systems refuse more.
const MAX_OPEN_FILES: u64 = 10_240;

/// Starts the process as leader of its own group.
pub(crate) fn own_group(command: &mut Command) {
    command.process_group(0);
}

/// Raises the limit on open files to the system's maximum: a run needs about ten.
pub(crate) fn raise_file_limit() -> std::io::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    let maximum = limit.maximum.unwrap_or(MAX_OPEN_FILES);
    if limit.current.is_some_and(|current| current < maximum) {
        setrlimit(Resource::Nofile, Rlimit { current: Some(maximum), ..limit })?;
    }
    Ok(())
}

/// Describes how a process ended.
pub(crate) fn describe_exit(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "unknown exit status".to_owned(),
    }
}
