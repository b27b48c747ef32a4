//! Linux: the host inherits orphans (`PR_SET_CHILD_SUBREAPER`) and finds them in `/proc`.

mod strays;

pub(crate) use strays::{end_outlived, end_strays, leftovers};

use std::collections::{BTreeMap, BTreeSet};
use std::io::PipeReader;

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

struct ProcessInfo {
    pid: u32,
    parent: u32,
    group: u32,
    session: u32,
    birth: u64,
    /// It has ended, and its parent has not looked.
    zombie: bool,
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
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    Some(ProcessInfo {
        pid,
        zombie: fields.next()? == "Z",
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
