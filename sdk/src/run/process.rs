//! The process of a run, or none: a run may be attached to a server that was started elsewhere.

use std::sync::Arc;

use od_os::tree::{Orphans, Status, Tree};

/// The process of a run.
pub(super) enum Process {
    /// Its own process, with everything that process starts.
    Own(Arc<Tree>),
    /// None: nothing is signalled, reaped or killed.
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

    /// Kills everything that is alive and returns how the process itself ended.
    pub(super) fn end(&self, orphans: Orphans<'_>) -> Status {
        match self {
            Self::Own(tree) => {
                tree.kill_all(orphans);
                tree.reap()
            }
            Self::Attached => Status::default(),
        }
    }
}
