//! Which process below the adapter belongs to which run.
//!
//! A process belongs to the run whose agent CLI is its ancestor. A process that has lost its parent
//! becomes a child of the adapter; it still belongs to the run below whose agent CLI it was seen.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Child, Command};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::process;

/// How often the processes are listed at most while several runs are open.
const SCAN_INTERVAL: Duration = Duration::from_millis(100);

/// The processes of the open runs, by the process id of the agent CLI.
static OWNERS: Mutex<Owners> = Mutex::new(Owners { runs: BTreeMap::new(), scanned: None });

struct Owners {
    runs: BTreeMap<u32, BTreeSet<u32>>,
    scanned: Option<Instant>,
}

impl Owners {
    fn scan(&mut self) {
        for (leader, owned) in &mut self.runs {
            owned.insert(*leader);
            let roots: Vec<u32> = owned.iter().copied().collect();
            owned.extend(roots.into_iter().flat_map(process::descendants));
        }
        self.scanned = Some(Instant::now());
    }
}

fn with_owners<T>(action: impl FnOnce(&mut Owners) -> T) -> T {
    action(&mut OWNERS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Starts the agent CLI of a run. No run ends between its start and its registration.
pub(super) fn spawn(command: &mut Command) -> std::io::Result<Child> {
    with_owners(|owners| {
        let child = command.spawn()?;
        owners.runs.insert(child.id(), BTreeSet::new());
        Ok(child)
    })
}

/// Records the processes of all runs, if several are open and the last record is old.
pub(super) fn scan_if_due() {
    with_owners(|owners| {
        let is_recent = owners.scanned.is_some_and(|at| at.elapsed() < SCAN_INTERVAL);
        if owners.runs.len() > 1 && !is_recent {
            owners.scan();
        }
    });
}

/// Whether the end of a run must not kill a process: it belongs to another run, or it was never
/// seen below any run while others are open.
pub(super) fn is_spared(leader: u32, pid: u32) -> bool {
    with_owners(|owners| {
        if owners.runs.len() <= 1 {
            return false;
        }
        owners.scan();
        !owners.runs.get(&leader).is_some_and(|own| own.contains(&pid))
    })
}

/// Removes a run whose processes have ended.
pub(super) fn unregister(leader: u32) {
    with_owners(|owners| drop(owners.runs.remove(&leader)));
}
