//! Running processes from `/proc`. A process belongs to a test when its executable is in the test's folder,
//! whatever its session, parent and environment.

use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// Ends a test that waits in vain.
const TIMEOUT: Duration = Duration::from_secs(40);

/// The role of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    Host,
    Adapter,
    AgentCli,
    /// A process that an agent CLI has started.
    Child,
}

/// A running process.
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

/// All processes whose executable is inside a folder, without zombies.
pub(crate) fn processes_below(root: &Path) -> Vec<Process> {
    pids().filter_map(|pid| inspect(pid, root)).collect()
}

/// The zombies of a process.
pub(crate) fn zombies_of(parent: u32) -> Vec<u32> {
    let is_zombie = |pid: &u32| {
        let fields = stat_fields(*pid).unwrap_or_default();
        fields.first().is_some_and(|state| state == "Z")
            && fields.get(1).is_some_and(|of| *of == parent.to_string())
    };
    pids().filter(is_zombie).collect()
}

/// Polls until the value is as expected or the time is over; returns the last value.
pub(crate) fn eventually<T>(mut poll: impl FnMut() -> T, is_expected: impl Fn(&T) -> bool) -> T {
    let started = Instant::now();
    loop {
        let value = poll();
        if is_expected(&value) || started.elapsed() > TIMEOUT {
            return value;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn pids() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").expect("/proc");
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

fn inspect(pid: u32, root: &Path) -> Option<Process> {
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

/// The fields of `/proc/…/stat` after the name: the state, the parent and so on. The name may contain anything.
fn stat_fields(pid: u32) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = text.rsplit_once(')')?;
    Some(fields.split_ascii_whitespace().map(str::to_owned).collect())
}

/// The resources of a process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Resources {
    pub(crate) resident_bytes: u64,
    pub(crate) peak_bytes: u64,
    pub(crate) files: usize,
    pub(crate) threads: usize,
}

impl Resources {
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

    /// Whether it has no more files and threads.
    pub(crate) fn is_at_most(self, other: Self) -> bool {
        self.files <= other.files && self.threads <= other.threads
    }
}

impl std::fmt::Display for Resources {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { resident_bytes, peak_bytes, files, threads } = self;
        let (resident, peak) = (resident_bytes / 1_000_000, peak_bytes / 1_000_000);
        write!(formatter, "{resident} MB (peak {peak}), {files} files, {threads} threads")
    }
}
