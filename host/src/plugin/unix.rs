//! Processes on Unix: groups everywhere, orphans where the kernel gives them to us.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;

#[cfg(target_os = "linux")]
pub(crate) use linux::{
    become_reaper, birth, end_outlived, end_strays, enlarge_pipe, leftovers, sweep_once,
};
#[cfg(not(target_os = "linux"))]
pub(crate) use other::{
    become_reaper, birth, end_outlived, end_strays, enlarge_pipe, leftovers, sweep_once,
};

use std::process::ExitStatus;

use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process_group, setrlimit};
use tokio::process::Command;

/// Makes the process the first of a group of its own.
pub(crate) fn own_group(command: &mut Command) {
    command.process_group(0);
}

/// Kills every process of a group; one that is gone is fine.
pub(crate) fn kill_group(pid: u32) {
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return };
    if let Err(error) = kill_process_group(pid, Signal::KILL) {
        tracing::trace!(?pid, %error, "no such group");
    }
}

/// The most open files where the system names no limit; some refuse more.
const MANY_FILES: u64 = 10_240;

/// Lets this process open as many files as the system allows it: a run takes about ten.
pub(crate) fn raise_file_limit() -> std::io::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.unwrap_or(MANY_FILES);
    if limit.current.is_some_and(|current| current < most) {
        setrlimit(Resource::Nofile, Rlimit { current: Some(most), ..limit })?;
    }
    Ok(())
}

/// How a process ended, for people.
pub(crate) fn describe_exit(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "an unknown end".to_owned(),
    }
}
