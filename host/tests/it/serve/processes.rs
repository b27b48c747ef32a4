//! What is alive, as Linux tells it in `/proc`. A process belongs to a test when its executable lies in the test's
//! folder, whatever it did to its session, its parents and its environment.

use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// More than anything takes, so that a test which waits in vain ends.
const PATIENCE: Duration = Duration::from_secs(40);

/// The part a process plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    Host,
    Adapter,
    AgentCli,
    /// What an agent CLI has started.
    Child,
}

/// A process that is alive.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    pub(crate) role: Role,
    pub(crate) arguments: String,
}

impl Process {
    /// `kill -9`; false when it is gone already.
    pub(crate) fn kill(&self) -> bool {
        let pid = i32::try_from(self.pid).ok().and_then(Pid::from_raw).expect("a pid");
        kill_process(pid, Signal::KILL).is_ok()
    }
}

/// All processes whose executable lies below a folder; those that have ended and wait for their parent do not count.
pub(crate) fn processes_below(root: &Path) -> Vec<Process> {
    pids().filter_map(|pid| look_at(pid, root)).collect()
}

/// The children of a process that have ended and wait to be looked at.
pub(crate) fn zombies_of(parent: u32) -> Vec<u32> {
    let is_zombie = |pid: &u32| {
        let fields = stat_fields(*pid).unwrap_or_default();
        fields.first().is_some_and(|state| state == "Z")
            && fields.get(1).is_some_and(|of| *of == parent.to_string())
    };
    pids().filter(is_zombie).collect()
}

/// Looks until it is as it should be; what was seen last.
pub(crate) fn eventually<T>(mut look: impl FnMut() -> T, fits: impl Fn(&T) -> bool) -> T {
    let begun = Instant::now();
    loop {
        let seen = look();
        if fits(&seen) || begun.elapsed() > PATIENCE {
            return seen;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn pids() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").expect("/proc");
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

fn look_at(pid: u32, root: &Path) -> Option<Process> {
    let exe = std::fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    if !exe.starts_with(root) || stat_fields(pid)?.first()? == "Z" {
        return None;
    }
    let arguments = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let arguments = String::from_utf8_lossy(&arguments).replace('\0', " ");
    let name = exe.file_name()?.to_str()?;
    let role = match name.strip_suffix(" (deleted)").unwrap_or(name) {
        "od-host" => Role::Host,
        "agent-cli" if arguments.contains("--child") => Role::Child,
        "agent-cli" => Role::AgentCli,
        _ => Role::Adapter,
    };
    Some(Process { pid, role, arguments })
}

/// The fields of `/proc/…/stat` after the name, which may contain anything: the state, the parent and so on.
fn stat_fields(pid: u32) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = text.rsplit_once(')')?;
    Some(fields.split_ascii_whitespace().map(str::to_owned).collect())
}

/// What a process holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Holdings {
    pub(crate) resident_bytes: u64,
    pub(crate) peak_bytes: u64,
    pub(crate) files: usize,
    pub(crate) threads: usize,
}

impl Holdings {
    pub(crate) fn of(pid: u32) -> Self {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("a process");
        let kilobytes = |name: &str| -> u64 {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("a line");
            line.trim().trim_end_matches(" kB").parse().expect("a number")
        };
        let count = |folder: &str| {
            std::fs::read_dir(format!("/proc/{pid}/{folder}")).expect("a folder").count()
        };
        Self {
            resident_bytes: 1024 * kilobytes("VmRSS:"),
            peak_bytes: 1024 * kilobytes("VmHWM:"),
            files: count("fd"),
            threads: count("task"),
        }
    }

    /// No file and no thread more.
    pub(crate) fn are_as_few_as(self, other: Self) -> bool {
        self.files <= other.files && self.threads <= other.threads
    }
}

impl std::fmt::Display for Holdings {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { resident_bytes, peak_bytes, files, threads } = self;
        let (resident, peak) = (resident_bytes / 1_000_000, peak_bytes / 1_000_000);
        write!(formatter, "{resident} MB (peak {peak}), {files} files, {threads} threads")
    }
}
