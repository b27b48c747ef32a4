//! Processes on Windows: an adapter keeps its own tree in a Job Object that dies with it, so ending
//! the adapter is enough.

use std::collections::BTreeSet;
use std::io::PipeReader;
use std::path::Path;
use std::process::ExitStatus;

use tokio::process::Command;

/// Keeps Ctrl-C of the console away from the process.
pub(crate) fn own_group(command: &mut Command) {
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
}

/// There are no groups to kill here.
pub(crate) fn kill_group(_pid: u32) {}

/// There is no such role here.
pub(crate) fn become_reaper() -> std::io::Result<()> {
    Ok(())
}

/// There is no such limit here.
pub(crate) fn raise_file_limit() -> std::io::Result<()> {
    Ok(())
}

/// Not needed without a sweep.
pub(crate) fn birth(_pid: u32) -> u64 {
    0
}

/// The Job Object has done it.
pub(crate) fn sweep_once(_birth: u64, _living: &BTreeSet<u32>) -> usize {
    0
}

/// The Job Object leaves none.
pub(crate) fn end_strays(_is_over: impl Fn(&str) -> bool) -> usize {
    0
}

/// Nothing can be found.
pub(crate) fn end_outlived(_home: &Path) -> usize {
    0
}

/// Nothing can be found.
pub(crate) fn leftovers(_home: &Path) -> Vec<(u32, String)> {
    Vec::new()
}

/// The size of a pipe is fixed here.
pub(crate) fn enlarge_pipe(_pipe: &PipeReader) {}

/// How a process ended, for people.
pub(crate) fn describe_exit(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("exit code {code}"),
        None => "an unknown end".to_owned(),
    }
}
