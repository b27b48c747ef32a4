//! The process table and single processes: list, inspect, adopt, wait for, kill.
//!
//! Linux reads `/proc`, other Unix systems run `ps`, Windows lists nothing (there a Job Object
//! ends a whole tree, see [`crate::tree`]).

#[cfg(target_os = "linux")]
mod linux;
#[cfg(all(unix, not(target_os = "linux")))]
mod other_unix;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
use linux as os;
#[cfg(all(unix, not(target_os = "linux")))]
use other_unix as os;
#[cfg(windows)]
use windows as os;

#[cfg(unix)]
pub use unix::{kill, kill_group, reap};
#[cfg(windows)]
pub use windows::{kill, kill_group, reap};

pub(crate) use os::has_no_other_child;
pub use os::{
    ADOPTS_ORPHANS, adopt_orphans, command_line, enlarge_pipe, environment_variable, find,
    is_owned_by_this_user, open_files, pid_namespace, resident_bytes, wait_until_exited,
};

use std::collections::{BTreeMap, BTreeSet};

/// One row of the process table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Process {
    /// Its process id.
    pub pid: u32,
    /// The process id of its parent.
    pub parent: u32,
    /// Its process group.
    pub group: u32,
    /// Its session on Linux, its process group elsewhere.
    pub session: u32,
    /// When it was started, in kernel ticks since boot: distinguishes it from a later process with
    /// the same id. 0 where the system does not report it.
    pub start_time: u64,
    /// It has ended and waits to be reaped (states `Z` and `X` of Linux).
    pub has_ended: bool,
}

/// A snapshot of all processes.
///
/// ```
/// use std::collections::BTreeSet;
///
/// use od_os::process::ProcessTable;
///
/// let table = ProcessTable::read();
/// # #[cfg(unix)] {
/// let own = table.get(std::process::id()).expect("this process is running");
/// assert!(table.with_ancestors(own.pid).contains(&own.parent));
/// assert!(table.with_descendants(&BTreeSet::from([own.parent])).contains(&own.pid));
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct ProcessTable {
    processes: BTreeMap<u32, Process>,
}

impl ProcessTable {
    /// Reads the table. It is empty where the system does not list processes.
    pub fn read() -> Self {
        os::list().into_iter().collect()
    }

    /// Returns a process by its id.
    pub fn get(&self, pid: u32) -> Option<&Process> {
        self.processes.get(&pid)
    }

    /// Iterates over all processes in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &Process> {
        self.processes.values()
    }

    /// Returns the ids of a process and of all processes above it.
    pub fn with_ancestors(&self, pid: u32) -> BTreeSet<u32> {
        let mut pids = BTreeSet::new();
        let mut next = Some(pid);
        // `insert` ends the walk where a snapshot taken during changes has a cycle.
        while let Some(pid) = next.filter(|pid| pids.insert(*pid)) {
            next = self.get(pid).map(|process| process.parent);
        }
        pids
    }

    /// Returns the ids of the roots and of all processes below them.
    pub fn with_descendants(&self, roots: &BTreeSet<u32>) -> BTreeSet<u32> {
        let mut pids = roots.clone();
        loop {
            let is_new =
                |process: &&Process| pids.contains(&process.parent) && !pids.contains(&process.pid);
            let more: Vec<u32> = self.iter().filter(is_new).map(|process| process.pid).collect();
            if more.is_empty() {
                return pids;
            }
            pids.extend(more);
        }
    }
}

impl FromIterator<Process> for ProcessTable {
    fn from_iter<I: IntoIterator<Item = Process>>(processes: I) -> Self {
        let processes = processes.into_iter().map(|process| (process.pid, process)).collect();
        Self { processes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[(u32, u32)]) -> ProcessTable {
        let process = |&(pid, parent): &(u32, u32)| Process {
            pid,
            parent,
            group: pid,
            session: pid,
            start_time: 0,
            has_ended: false,
        };
        rows.iter().map(process).collect()
    }

    #[test]
    fn descendants_of_every_generation_are_found() {
        let table = table(&[(30, 20), (20, 10), (10, 1), (5, 30), (99, 1)]);
        let pids = table.with_descendants(&BTreeSet::from([10]));
        assert_eq!(pids, BTreeSet::from([5, 10, 20, 30]));
    }

    #[test]
    fn ancestors_end_at_unknown_parent_or_cycle() {
        let table = table(&[(30, 20), (20, 10), (7, 8), (8, 7)]);
        assert_eq!(table.with_ancestors(30), BTreeSet::from([10, 20, 30]));
        assert_eq!(table.with_ancestors(7), BTreeSet::from([7, 8]));
    }

    #[test]
    #[cfg(unix)]
    fn table_lists_this_process() {
        let own = std::process::id();
        let table = ProcessTable::read();
        assert!(table.get(own).is_some_and(|process| process.pid == own && !process.has_ended));
    }
}
