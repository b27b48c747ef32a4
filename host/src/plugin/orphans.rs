//! Finds and kills processes that outlived the process that should have ended them. On systems
//! without `/proc` nothing is found: there the adapter itself or its Job Object ends its processes.

use std::collections::BTreeSet;
use std::path::Path;

use od_os::process::{self, Process, ProcessTable};
use od_protocol::environment::RUN_ID_VARIABLE;

use super::host_marker::{HostMarker, VARIABLE};
use super::name::adapter_id;

/// Kills the orphans this host has adopted that were started after `start_time` and belong to no
/// living adapter, with everything below them. Returns how many there were.
///
/// Children that other parts of this program have started are in the host's own group and are kept.
pub(crate) fn kill_adopted(start_time: u64, living: &BTreeSet<u32>) -> usize {
    if !process::ADOPTS_ORPHANS {
        return 0;
    }
    let table = ProcessTable::read();
    let host = std::process::id();
    let own_group = table.get(host).map(|process| process.group);
    let is_orphan = |process: &&Process| {
        process.parent == host
            && Some(process.group) != own_group
            && process.start_time >= start_time
            && ![process.pid, process.group, process.session].iter().any(|id| living.contains(id))
    };
    let orphans = table.iter().filter(is_orphan).map(|process| process.pid).collect();
    let killed = kill_with_descendants(&orphans, &table);
    orphans.into_iter().for_each(process::reap);
    killed
}

/// Kills the processes of runs that have ended, with everything below them. Returns how many there
/// were.
///
/// An adapter ends its agent CLI when the host dies; this is for adapters that were killed together
/// with their host.
pub(crate) fn kill_of_ended_runs(has_ended: impl Fn(&str) -> bool) -> usize {
    let table = ProcessTable::read();
    let orphans = select(&table, |pid| {
        let run_id = process::environment_variable(pid, RUN_ID_VARIABLE);
        run_id.is_some_and(|run_id| has_ended(&run_id))
    });
    kill_with_descendants(&orphans, &table)
}

/// Kills the adapters that hosts of this home started and that outlived them, with everything below
/// them. Returns how many there were.
pub(crate) fn kill_adapters(home: &Path) -> usize {
    let table = ProcessTable::read();
    kill_with_descendants(&adapters_without_host(home, &table), &table)
}

/// Lists adapters without a host, with their command lines: those of this home, and those of this
/// user whose parent has ended.
pub(crate) fn list_adapters(home: &Path) -> Vec<(u32, String)> {
    let table = ProcessTable::read();
    let mut pids = adapters_without_host(home, &table);
    let without_parent = table.iter().filter(|process| is_adapter_without_parent(process));
    pids.extend(without_parent.map(|process| process.pid));
    let with_command = |pid| Some((pid, process::command_line(pid)?.join(" ")));
    pids.into_iter().filter_map(with_command).collect()
}

/// The processes whose marker names a host of this home that has ended.
fn adapters_without_host(home: &Path, table: &ProcessTable) -> BTreeSet<u32> {
    let is_host_alive = |marker: &HostMarker| {
        table
            .get(marker.pid)
            .is_some_and(|host| host.start_time == marker.start_time && !host.has_ended)
    };
    let own_namespace = process::pid_namespace(std::process::id());
    select(table, |pid| {
        let marker = process::environment_variable(pid, VARIABLE)
            .and_then(|marker| HostMarker::parse(&marker));
        marker.is_some_and(|marker| marker.home == home && !is_host_alive(&marker))
            // In a container the ids name other processes.
            && process::pid_namespace(pid) == own_namespace
    })
}

/// Only a process whose parent has ended becomes a child of the first process.
fn is_adapter_without_parent(process: &Process) -> bool {
    let is_adapter = |line: Vec<String>| {
        let name = line.first().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
        line.get(1).is_some_and(|argument| argument == "--stdio") && adapter_id(name).is_some()
    };
    process.parent == 1
        && process::is_owned_by_this_user(process.pid)
        && process::command_line(process.pid).is_some_and(is_adapter)
}

/// Selects processes, but never this one and those above it: a host that an agent has started
/// has the run id of that agent in its environment.
fn select(table: &ProcessTable, is_match: impl Fn(u32) -> bool) -> BTreeSet<u32> {
    let own = table.with_ancestors(std::process::id());
    let pids = table.iter().map(|process| process.pid);
    pids.filter(|pid| !own.contains(pid) && is_match(*pid)).collect()
}

fn kill_with_descendants(roots: &BTreeSet<u32>, table: &ProcessTable) -> usize {
    let pids = table.with_descendants(roots);
    pids.iter().copied().for_each(process::kill);
    pids.len()
}
