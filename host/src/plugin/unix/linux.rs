//! Linux: the host inherits orphans (`PR_SET_CHILD_SUBREAPER`) and finds them in `/proc`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::PipeReader;

use od_protocol::environment::RUN_ID_VARIABLE;
use rustix::process::{Pid, Signal, WaitOptions, getpgrp, getpid, kill_process, waitpid};

const PIPE_BYTES: usize = 256 * 1024;

/// Makes orphans below us our children instead of init's.
pub(crate) fn become_reaper() -> std::io::Result<()> {
    rustix::process::set_child_subreaper(Some(getpid()))?;
    Ok(())
}

/// When a process was started, in the kernel's ticks since boot; 0 when it is gone.
pub(crate) fn birth(pid: u32) -> u64 {
    read(pid).map_or(0, |process| process.birth)
}

/// A larger pipe means fewer wake-ups under a flood.
pub(crate) fn enlarge_pipe(pipe: &PipeReader) {
    if let Err(error) = rustix::pipe::fcntl_setpipe_size(pipe, PIPE_BYTES) {
        tracing::debug!(%error, "the pipe keeps its size");
    }
}

/// One look: kills every orphan of ours that was started after `birth` and belongs to no living
/// process, with everything below it. Says how many there were.
///
/// Children that another part of this program has started are in our own group and left alone.
pub(crate) fn sweep_once(birth: u64, living: &BTreeSet<u32>) -> usize {
    let (host, own_group) = (raw(getpid()), raw(getpgrp()));
    let processes = all();
    let orphans: BTreeSet<u32> = processes
        .values()
        .filter(|process| {
            process.parent == host
                && process.group != own_group
                && process.birth >= birth
                && ![process.pid, process.group, process.session]
                    .iter()
                    .any(|id| living.contains(id))
        })
        .map(|process| process.pid)
        .collect();
    let doomed = with_descendants(&orphans, &processes);
    for pid in &doomed {
        kill(*pid);
    }
    for pid in orphans {
        reap(pid);
    }
    doomed.len()
}

/// Kills what carries the mark of a run that is over, with everything below it. Says how many there were.
///
/// An adapter ends its agent CLI when the host dies; this is for those whose adapter was killed with its host.
pub(crate) fn end_strays(is_over: impl Fn(&str) -> bool) -> usize {
    let processes = all();
    let ours = with_ancestors(raw(getpid()), &processes);
    // A host that an agent has started carries the mark of that agent's run, and what is below it is ours.
    let is_stray =
        |pid: &u32| !ours.contains(pid) && run_of(*pid).is_some_and(|run_id| is_over(&run_id));
    let strays: BTreeSet<u32> = processes.keys().copied().filter(is_stray).collect();
    let doomed = with_descendants(&strays, &processes);
    for pid in &doomed {
        kill(*pid);
    }
    doomed.len()
}

/// The run that a process was started for.
fn run_of(pid: u32) -> Option<String> {
    let environment = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
    let mark = format!("{RUN_ID_VARIABLE}=");
    let value = environment
        .split(|byte| *byte == 0)
        .find_map(|variable| variable.strip_prefix(mark.as_bytes()))?;
    String::from_utf8(value.to_owned()).ok()
}

/// Adapters on this machine that no host owns any more, with their command lines, for `doctor`.
pub(crate) fn leftovers() -> Vec<(u32, String)> {
    let processes = all();
    let user = rustix::process::geteuid().as_raw();
    let is_adapter = |command: &str| {
        let mut words = command.split('\0');
        let name = words.next().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
        crate::discover::search::id_of(name).is_some() && words.next() == Some("--stdio")
    };
    let owner = |pid: u32| {
        use std::os::unix::fs::MetadataExt;
        std::fs::metadata(format!("/proc/{pid}")).map(|metadata| metadata.uid()).ok()
    };
    processes
        .values()
        .filter(|process| process.parent == 1 && owner(process.pid) == Some(user))
        .filter_map(|process| {
            let command = std::fs::read_to_string(format!("/proc/{}/cmdline", process.pid)).ok()?;
            is_adapter(&command)
                .then(|| (process.pid, command.replace('\0', " ").trim().to_owned()))
        })
        .collect()
}

struct ProcessInfo {
    pid: u32,
    parent: u32,
    group: u32,
    session: u32,
    birth: u64,
}

fn all() -> BTreeMap<u32, ProcessInfo> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return BTreeMap::new() };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(|pid: u32| Some((pid, read(pid)?)))
        .collect()
}

fn read(pid: u32) -> Option<ProcessInfo> {
    parse(pid, &std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The name in parentheses may hold anything, also parentheses; the fields after the last one are
/// state, parent, group, session, and as the twentieth the start.
fn parse(pid: u32, stat: &str) -> Option<ProcessInfo> {
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(1);
    Some(ProcessInfo {
        pid,
        parent: fields.next()?.parse().ok()?,
        group: fields.next()?.parse().ok()?,
        session: fields.next()?.parse().ok()?,
        birth: fields.nth(15)?.parse().ok()?,
    })
}

fn with_ancestors(pid: u32, processes: &BTreeMap<u32, ProcessInfo>) -> BTreeSet<u32> {
    let parent = |pid: &u32| processes.get(pid).map(|process| process.parent);
    std::iter::successors(Some(pid), parent).collect()
}

fn with_descendants(
    roots: &BTreeSet<u32>,
    processes: &BTreeMap<u32, ProcessInfo>,
) -> BTreeSet<u32> {
    let mut doomed = roots.clone();
    loop {
        let more: Vec<u32> = processes
            .values()
            .filter(|process| doomed.contains(&process.parent) && !doomed.contains(&process.pid))
            .map(|process| process.pid)
            .collect();
        if more.is_empty() {
            return doomed;
        }
        doomed.extend(more);
    }
}

fn kill(pid: u32) {
    if let Some(pid) = as_pid(pid)
        && let Err(error) = kill_process(pid, Signal::KILL)
    {
        tracing::trace!(?pid, %error, "gone already");
    }
}

fn reap(pid: u32) {
    if let Some(pid) = as_pid(pid)
        && let Err(error) = waitpid(Some(pid), WaitOptions::NOHANG)
    {
        tracing::trace!(?pid, %error, "reaped already");
    }
}

fn as_pid(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}

fn raw(pid: Pid) -> u32 {
    pid.as_raw_nonzero().get().unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_does_not_shift_the_fields() {
        let stat = "7 (a) R (b)) S 3 7 5 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 4242 9 9";
        let process = parse(7, stat).expect("a process");
        assert_eq!(
            (process.parent, process.group, process.session, process.birth),
            (3, 7, 5, 4242)
        );
    }

    #[test]
    fn our_own_entry_can_be_read() {
        let process = read(std::process::id()).expect("we are here");
        assert_eq!(process.group, raw(getpgrp()));
        assert!(process.birth > 0);
    }
}
