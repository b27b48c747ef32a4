//! The process table of Linux, from `/proc`.

use std::fs;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, getpid, pidfd_open, set_child_subreaper};

use od_protocol::environment::RUN_ID_VARIABLE;

use super::unix::Process;

/// Orphans of our tools become our children, so that a sweep finds them.
pub(crate) fn adopt_orphans() {
    if let Err(error) = set_child_subreaper(Some(getpid())) {
        tracing::warn!(%error, "orphans cannot be adopted; a detached tool may survive");
    }
}

/// Waits until a process is gone. Returns at once, with `false`, when it cannot be watched.
pub(crate) fn wait_until_gone(pid: u32) -> bool {
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return false };
    let pidfd = match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(pidfd) => pidfd,
        Err(error) => return error == rustix::io::Errno::SRCH,
    };
    loop {
        match poll(&mut [PollFd::new(&pidfd, PollFlags::IN)], None) {
            Err(rustix::io::Errno::INTR) => {}
            result => return result.is_ok(),
        }
    }
}

/// A cheap look that spares the walk over all processes: our only child is the one that has ended.
pub(super) fn has_no_other_child(pid: i32) -> bool {
    let Ok(tasks) = fs::read_dir("/proc/self/task") else { return false };
    for task in tasks.flatten() {
        let Ok(children) = fs::read_to_string(task.path().join("children")) else { return false };
        if children.split_ascii_whitespace().any(|child| child.parse() != Ok(pid)) {
            return false;
        }
    }
    read_process(pid).is_none_or(|process| process.zombie)
}

/// All processes.
pub(super) fn processes() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries
        .flatten()
        .filter_map(|entry| read_process(entry.file_name().to_str()?.parse().ok()?))
        .collect()
}

/// Whether a process carries the mark of a run in its environment.
pub(super) fn belongs_to_run(pid: i32, run_id: &str) -> bool {
    let mark = format!("{RUN_ID_VARIABLE}={run_id}");
    fs::read(format!("/proc/{pid}/environ"))
        .is_ok_and(|environ| environ.split(|byte| *byte == 0).any(|entry| entry == mark.as_bytes()))
}

fn read_process(pid: i32) -> Option<Process> {
    parse_stat(pid, &fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Reads `pid (name) state parent group session … start_time …`; the name may hold anything.
fn parse_stat(pid: i32, stat: &str) -> Option<Process> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = after_name.split_ascii_whitespace().collect();
    Some(Process {
        pid,
        parent: fields.get(1)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        zombie: matches!(*fields.first()?, "Z" | "X"),
        start_time: fields.get(19)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_spaces_and_brackets_is_no_obstacle() {
        let stat = "7 (a) b (c) S 3 7 5 0 -1 1 0 0 0 0 0 0 0 0 20 0 1 0 4711 0 0";
        let process = Process { pid: 7, parent: 3, session: 5, zombie: false, start_time: 4711 };
        assert_eq!(parse_stat(7, stat), Some(process));
    }

    #[test]
    fn this_very_process_is_in_the_table() {
        let own = i32::try_from(std::process::id()).expect("a small number");
        assert!(processes().iter().any(|process| process.pid == own && !process.zombie));
    }
}
