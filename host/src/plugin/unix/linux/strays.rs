//! Processes that have outlived the one that was to end them, found by what stands in their environment.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use od_protocol::environment::RUN_ID_VARIABLE;
use rustix::process::getpid;

use super::{ProcessInfo, all, kill, raw, with_ancestors, with_descendants};
use crate::plugin::mark::{Mark, VARIABLE};

/// Kills what carries the mark of a run that is over, with everything below it. Says how many there were.
///
/// An adapter ends its agent CLI when the host dies; this is for those whose adapter was killed with its host.
pub(crate) fn end_strays(is_over: impl Fn(&str) -> bool) -> usize {
    let processes = all();
    let strays = others(&processes, |pid| {
        variable(pid, RUN_ID_VARIABLE).is_some_and(|run_id| is_over(&run_id))
    });
    end(&strays, &processes)
}

/// Kills the adapters that hosts of this home have started and that have outlived them, with everything below
/// them. Says how many there were.
pub(crate) fn end_outlived(home: &Path) -> usize {
    let processes = all();
    end(&outlived(home, &processes), &processes)
}

/// Adapters on this machine that no host owns any more, with their command lines, for `doctor`: those that hosts
/// of this home have started, and any other.
pub(crate) fn leftovers(home: &Path) -> Vec<(u32, String)> {
    let processes = all();
    let mut left = outlived(home, &processes);
    left.extend(processes.values().filter(|process| is_unowned(process)).map(|one| one.pid));
    left.into_iter().filter_map(|pid| Some((pid, command_line(pid)?.join(" ")))).collect()
}

/// Those whose mark names a host of this home that is gone.
fn outlived(home: &Path, processes: &BTreeMap<u32, ProcessInfo>) -> BTreeSet<u32> {
    let is_alive = |mark: &Mark| {
        processes.get(&mark.pid).is_some_and(|host| host.birth == mark.birth && !host.zombie)
    };
    let own_ids = id_space(raw(getpid()));
    others(processes, |pid| {
        let mark = variable(pid, VARIABLE).and_then(|value| Mark::read(&value));
        mark.is_some_and(|mark| mark.home == home && !is_alive(&mark))
            // In a container ids mean something else.
            && id_space(pid) == own_ids
    })
}

/// An adapter that speaks to a host and has none. Only a parent that is gone is replaced by the first process.
fn is_unowned(process: &ProcessInfo) -> bool {
    use std::os::unix::fs::MetadataExt;
    let own = || {
        let metadata = std::fs::metadata(format!("/proc/{}", process.pid));
        metadata.is_ok_and(|metadata| metadata.uid() == rustix::process::geteuid().as_raw())
    };
    let is_adapter = |words: Vec<String>| {
        let name = words.first().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
        let stdio = words.get(1).is_some_and(|word| word == "--stdio");
        stdio && crate::discover::search::id_of(name).is_some()
    };
    process.parent == 1 && own() && command_line(process.pid).is_some_and(is_adapter)
}

/// All processes of a kind but this one and those that it was started by: a host that an agent has started carries
/// the mark of that agent's run.
fn others(processes: &BTreeMap<u32, ProcessInfo>, is_one: impl Fn(u32) -> bool) -> BTreeSet<u32> {
    let ours = with_ancestors(raw(getpid()), processes);
    processes.keys().copied().filter(|pid| !ours.contains(pid) && is_one(*pid)).collect()
}

fn end(strays: &BTreeSet<u32>, processes: &BTreeMap<u32, ProcessInfo>) -> usize {
    let doomed = with_descendants(strays, processes);
    doomed.iter().for_each(|pid| kill(*pid));
    doomed.len()
}

/// A variable that a process was started with.
fn variable(pid: u32, name: &str) -> Option<String> {
    let environment = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
    let begin = format!("{name}=");
    let value = environment
        .split(|byte| *byte == 0)
        .find_map(|variable| variable.strip_prefix(begin.as_bytes()))?;
    String::from_utf8(value.to_owned()).ok()
}

fn command_line(pid: u32) -> Option<Vec<String>> {
    let bytes = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let words = String::from_utf8_lossy(bytes.strip_suffix(b"\0")?).into_owned();
    Some(words.split('\0').map(str::to_owned).collect())
}

/// Which space of process ids it lives in.
fn id_space(pid: u32) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/{pid}/ns/pid")).ok()
}
