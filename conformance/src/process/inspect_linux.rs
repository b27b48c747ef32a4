//! Inspects processes through `/proc`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use procfs::process::{Process as Entry, Stat, all_processes};

use super::wait::Process;

/// Whether the suite can inspect other processes on this system.
pub const CAN_INSPECT: bool = true;

/// Whether a process exists and is not a zombie.
pub fn is_alive(pid: u32) -> bool {
    stat(pid).is_some_and(|stat| is_live(&stat))
}

/// Returns every live descendant of a process.
///
/// Zombies are followed too: while a process with several threads exits, its main thread is
/// already a zombie and its children still belong to it.
pub fn descendants(ancestor: u32) -> Vec<u32> {
    let all: Vec<Stat> = entries().filter_map(|entry| entry.stat().ok()).collect();
    let mut found = vec![ancestor];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        let children = all.iter().filter(|stat| id(stat.ppid) == parent);
        found.extend(children.map(|stat| id(stat.pid)));
        next += 1;
    }
    let is_live = |pid: &u32| all.iter().any(|stat| id(stat.pid) == *pid && is_live(stat));
    found.into_iter().skip(1).filter(is_live).collect()
}

/// Returns every live process whose executable is in the folder.
pub fn running_from(folder: &Path) -> Vec<u32> {
    let folder = canonical(folder);
    let is_from = |entry: &Entry| {
        entry.exe().is_ok_and(|executable| executable.starts_with(&folder))
            && is_alive(id(entry.pid()))
    };
    entries().filter(is_from).map(|entry| id(entry.pid())).collect()
}

/// Returns every process that was started after this one and whose executable, working folder or
/// HOME is below the folder, even if it has left its parent and its session.
pub fn left_below(folder: &Path) -> Vec<u32> {
    let folder = canonical(folder);
    let own = std::process::id();
    let Some(own_start) = stat(own).map(|stat| stat.starttime) else { return Vec::new() };
    let is_below = |path: PathBuf| path != folder && path.starts_with(&folder);
    let has_home = |entry: &Entry| {
        let environment = entry.environ().unwrap_or_default();
        environment
            .get(std::ffi::OsStr::new("HOME"))
            .is_some_and(|home| is_below(PathBuf::from(home)))
    };
    let is_left = |entry: &Entry| {
        entry.stat().is_ok_and(|stat| stat.starttime >= own_start)
            && (entry.exe().is_ok_and(is_below)
                || entry.cwd().is_ok_and(is_below)
                || has_home(entry))
    };
    entries().filter(is_left).map(|entry| id(entry.pid())).filter(|pid| *pid != own).collect()
}

/// Returns every live process whose environment contains the folder, except `excluded` and this
/// process. A child that left its session or its parent is found too.
pub fn processes_of(folder: &Path, excluded: u32) -> Vec<Process> {
    let wanted = folder.to_string_lossy().into_owned();
    let is_of_folder = |entry: &Entry| {
        let environment = entry.environ().unwrap_or_default();
        environment.values().any(|value| value.to_string_lossy().contains(&wanted))
    };
    entries()
        .filter(|entry| ![excluded, std::process::id()].contains(&id(entry.pid())))
        .filter(|entry| is_of_folder(entry) && is_alive(id(entry.pid())))
        .map(|entry| command_line(id(entry.pid())))
        .collect()
}

/// Returns a process with its command line, which is empty if it cannot be read.
pub fn command_line(pid: u32) -> Process {
    let command = entry(pid).and_then(|entry| entry.cmdline().ok()).unwrap_or_default().join(" ");
    Process { pid, command: command.trim().to_owned() }
}

/// Returns the number of open files of a process.
pub fn open_files(pid: u32) -> Option<usize> {
    entry(pid)?.fd_count().ok()
}

/// Returns the resident memory of a process, in KiB.
pub fn memory_kib(pid: u32) -> Option<u64> {
    entry(pid)?.status().ok()?.vmrss
}

/// Returns the processor time that a process has used.
pub fn cpu_time(pid: u32) -> Option<Duration> {
    let stat = stat(pid)?;
    let ticks = u32::try_from(stat.utime + stat.stime).ok()?;
    Some(Duration::from_secs(1) * ticks / u32::try_from(procfs::ticks_per_second()).ok()?)
}

/// Returns the number of zombie children of a process.
pub fn zombies(parent: u32) -> usize {
    let stats = entries().filter_map(|entry| entry.stat().ok());
    stats.filter(|stat| stat.state == 'Z' && id(stat.ppid) == parent).count()
}

fn entries() -> impl Iterator<Item = Entry> {
    all_processes().into_iter().flatten().flatten()
}

fn entry(pid: u32) -> Option<Entry> {
    Entry::new(i32::try_from(pid).ok()?).ok()
}

fn stat(pid: u32) -> Option<Stat> {
    entry(pid)?.stat().ok()
}

const fn is_live(stat: &Stat) -> bool {
    !matches!(stat.state, 'Z' | 'X')
}

/// Process ids are positive.
const fn id(pid: i32) -> u32 {
    pid.unsigned_abs()
}

fn canonical(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}
