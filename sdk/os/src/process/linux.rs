//! The process table of Linux, from `/proc`.

use std::fs;
use std::io::{self, PipeReader};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{PidfdFlags, getpid, pidfd_open, set_child_subreaper};

use super::Process;
use super::unix::as_pid;

/// The size of an enlarged pipe: the default is 64 KiB.
const PIPE_BYTES: usize = 256 * 1024;

/// Orphans below this process become its children, so that they can be found and ended.
pub const ADOPTS_ORPHANS: bool = true;

/// Makes this process the new parent of orphans below it (`PR_SET_CHILD_SUBREAPER`). Does nothing
/// where [`ADOPTS_ORPHANS`] is `false`.
///
/// # Errors
/// The kernel refuses it.
pub fn adopt_orphans() -> io::Result<()> {
    Ok(set_child_subreaper(Some(getpid()))?)
}

/// Blocks until a process has ended. Returns `false` at once when it cannot be watched.
pub fn wait_until_exited(pid: u32) -> bool {
    let Some(pid) = as_pid(pid) else { return false };
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

/// Whether `pid` has ended and is the only child of this process: a cheap check that avoids
/// reading the whole table.
pub(crate) fn has_no_other_child(pid: u32) -> bool {
    let Ok(tasks) = fs::read_dir("/proc/self/task") else { return false };
    for task in tasks.flatten() {
        let Ok(children) = fs::read_to_string(task.path().join("children")) else { return false };
        if children.split_ascii_whitespace().any(|child| child.parse() != Ok(pid)) {
            return false;
        }
    }
    find(pid).is_none_or(|process| process.has_ended)
}

/// Lists all processes.
pub(super) fn list() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.flatten().filter_map(|entry| find(entry.file_name().to_str()?.parse().ok()?)).collect()
}

/// Reads one process; `None` when it does not exist.
pub fn find(pid: u32) -> Option<Process> {
    parse_stat(pid, &fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Parses `pid (name) state parent group session … start_time …`. The name may contain anything,
/// also parentheses; the start time is the twentieth field after it.
fn parse_stat(pid: u32, stat: &str) -> Option<Process> {
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    Some(Process {
        pid,
        has_ended: matches!(fields.next()?, "Z" | "X" | "x"),
        parent: fields.next()?.parse().ok()?,
        group: fields.next()?.parse().ok()?,
        session: fields.next()?.parse().ok()?,
        start_time: fields.nth(15)?.parse().ok()?,
    })
}

/// Returns a variable of the environment a process was started with. `None` where it is not set or
/// the system does not show it.
pub fn environment_variable(pid: u32, name: &str) -> Option<String> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let value = environment
        .split(|byte| *byte == 0)
        .find_map(|entry| entry.strip_prefix(name.as_bytes())?.strip_prefix(b"="))?;
    String::from_utf8(value.to_owned()).ok()
}

/// Returns the command line of a process; `None` where the system does not show it.
pub fn command_line(pid: u32) -> Option<Vec<String>> {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let line = String::from_utf8_lossy(bytes.strip_suffix(b"\0")?).into_owned();
    Some(line.split('\0').map(str::to_owned).collect())
}

/// Returns the namespace in which a process's ids are valid: in a container the same number names
/// another process. `None` where it is unknown.
pub fn pid_namespace(pid: u32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/ns/pid")).ok()
}

/// Whether a process belongs to the user of this process; `false` where it is unknown.
pub fn is_owned_by_this_user(pid: u32) -> bool {
    let user = rustix::process::geteuid().as_raw();
    fs::metadata(format!("/proc/{pid}")).is_ok_and(|metadata| metadata.uid() == user)
}

/// Returns the memory that this process uses, in bytes; `None` where it is unknown.
pub fn resident_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// Returns the number of files this process has open; `None` where it is unknown.
pub fn open_files() -> Option<u64> {
    // The listing itself holds one file open.
    let entries = fs::read_dir("/proc/self/fd").ok()?.count();
    Some(entries.saturating_sub(1) as u64)
}

/// Enlarges a pipe: fewer wake-ups for a program that writes much. A refusal is only logged.
pub fn enlarge_pipe(pipe: &PipeReader) {
    if let Err(error) = rustix::pipe::fcntl_setpipe_size(pipe, PIPE_BYTES) {
        tracing::debug!(%error, "pipe size unchanged");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stat_name_with_parentheses_does_not_shift_fields() {
        let stat = "7 (a) R (b)) S 3 7 5 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 4242 9 9";
        let expected =
            Process { pid: 7, parent: 3, group: 7, session: 5, start_time: 4242, has_ended: false };
        assert_eq!(parse_stat(7, stat), Some(expected));
    }

    #[test]
    fn stat_zombie_and_dead_have_ended() {
        for (state, has_ended) in [("Z", true), ("X", true), ("S", false), ("R", false)] {
            let stat = format!("7 (a) {state} 3 7 5 0 -1 1 0 0 0 0 0 0 0 0 20 0 1 0 4711 0 0");
            let process = parse_stat(7, &stat).expect("a process");
            assert_eq!(process.has_ended, has_ended, "state {state}");
        }
        assert_eq!(parse_stat(7, "7 (a) S 3"), None);
    }

    #[test]
    fn own_process_can_be_inspected() {
        let own = std::process::id();
        let process = find(own).expect("this process is running");
        assert!(process.start_time > 0 && !process.has_ended);
        assert!(is_owned_by_this_user(own));
        assert!(command_line(own).is_some_and(|line| !line.is_empty()));
        assert_eq!(environment_variable(own, "PATH"), std::env::var("PATH").ok());
        assert_eq!(environment_variable(own, "PAT"), None);
        assert!(pid_namespace(own).is_some());
    }

    #[test]
    fn memory_and_open_files_are_counted() {
        assert!(resident_bytes().is_some_and(|bytes| bytes > 100_000));
        let before = open_files().expect("a count");
        let _file = fs::File::open("/dev/null").expect("a file");
        assert!(open_files().expect("a count") > before);
    }
}
