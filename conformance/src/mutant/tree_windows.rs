//! The processes below the adapter, on Windows: `taskkill` ends the tree; a process without a console
//! cannot receive a polite signal.

use std::process::{Command, ExitStatus};

use crate::process;

/// Not needed on Windows.
pub(super) fn adopt_orphans() {}

/// Not needed: the tree is found by parent ids.
pub(super) fn own_group(_command: &mut Command) {}

/// No such signal on Windows.
pub(super) fn interrupt(_leader: u32) {}

/// No such signal on Windows.
pub(super) fn terminate(_leader: u32) {}

/// No such signal on Windows.
pub(super) fn terminate_group(_leader: u32) {}

/// Kills the tree.
pub(super) fn kill_group(leader: u32) {
    process::kill_tree(leader);
}

/// Kills the tree of the leader.
pub(super) fn sweep(leader: u32, _spared: impl Fn(u32) -> bool) {
    if leader != 0 {
        process::kill_tree(leader);
    }
}

/// Unknown, so only the end of stdin shows that the host has exited.
pub(super) fn exists(_pid: u32) -> bool {
    true
}

/// No signals on Windows.
pub(super) fn signal_of(_status: &ExitStatus) -> Option<i32> {
    None
}

/// The mode of a file does not show it.
pub(super) fn is_executable(metadata: &std::fs::Metadata) -> bool {
    metadata.is_file()
}
