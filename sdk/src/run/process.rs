//! The process of a run, or none: a run may be attached to a server that somebody else has started.

use std::sync::Arc;

use crate::tree::{Ownership, Status, Tree};

/// The process of a run.
pub(super) enum Process {
    /// One of its own, with everything it starts.
    Own(Arc<Tree>),
    /// None: nothing is to be signalled, reaped or ended.
    Attached,
}

impl Process {
    pub(super) fn pid(&self) -> Option<u32> {
        self.tree().map(|tree| tree.pid())
    }

    pub(super) fn tree(&self) -> Option<&Arc<Tree>> {
        match self {
            Self::Own(tree) => Some(tree),
            Self::Attached => None,
        }
    }

    pub(super) fn interrupt(&self) {
        if let Self::Own(tree) = self {
            tree.interrupt();
        }
    }

    pub(super) fn terminate(&self) {
        if let Self::Own(tree) = self {
            tree.terminate();
        }
    }

    /// Ends everything that is left; says how the process itself ended.
    pub(super) fn end(&self, ownership: Ownership<'_>) -> Status {
        match self {
            Self::Own(tree) => {
                tree.kill_all(ownership);
                tree.reap()
            }
            Self::Attached => Status::default(),
        }
    }
}
