//! The processes below the adapter, on Windows: the tree is ended by `taskkill`, and there is no
//! polite signal to send to a process without a console.

use std::process::{Command, ExitStatus};

use crate::process;

/// There are no orphans to adopt.
pub(super) fn adopt_orphans() {}

/// The tree is found by its parent links.
pub(super) fn own_group(_command: &mut Command) {}

/// There is no polite signal.
pub(super) fn interrupt(_leader: u32) {}

/// There is no polite signal.
pub(super) fn terminate(_leader: u32) {}

/// There is no polite signal.
pub(super) fn terminate_group(_leader: u32) {}

/// Ends the whole tree.
pub(super) fn kill_group(leader: u32) {
    process::kill_tree(leader);
}

/// Ends the tree of the leader.
pub(super) fn sweep(leader: u32, _spared: impl Fn(u32) -> bool) {
    if leader != 0 {
        process::kill_tree(leader);
    }
}

/// Cannot be told, so stdin alone says whether the host is there.
pub(super) fn exists(_pid: u32) -> bool {
    true
}

/// There are no signals.
pub(super) fn signal_of(_status: &ExitStatus) -> Option<i32> {
    None
}

/// Whether a file may be run is not written in its mode.
pub(super) fn is_executable(metadata: &std::fs::Metadata) -> bool {
    metadata.is_file()
}
