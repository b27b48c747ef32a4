//! What a process holds and uses, read from `/proc`; `None` where there is none.

use std::time::Duration;

/// How long a tick of the times in `/proc` is: a hundred a second on every Linux.
const TICK: Duration = Duration::from_millis(10);

/// How many files a process has open.
pub fn open_files(pid: u32) -> Option<usize> {
    Some(std::fs::read_dir(format!("/proc/{pid}/fd")).ok()?.count())
}

/// How much memory of a process is in use, in KiB.
pub fn memory_kib(pid: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}

/// How much processor time a process has used.
pub fn cpu_time(pid: u32) -> Option<Duration> {
    let words = stat(&pid.to_string())?;
    let ticks: u32 = words.get(11)?.parse::<u32>().ok()? + words.get(12)?.parse::<u32>().ok()?;
    Some(TICK * ticks)
}

/// How many children of a process have ended and were never waited for.
pub fn zombies(parent: u32) -> usize {
    let parent = parent.to_string();
    std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| stat(entry.ok()?.file_name().to_str()?))
        .filter(|words| words[0] == "Z" && words.get(1) == Some(&parent))
        .count()
}

/// The words of `/proc/PID/stat` from the state on.
fn stat(pid: &str) -> Option<Vec<String>> {
    pid.parse::<u32>().ok()?;
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may contain anything, parentheses included.
    let words: Vec<String> =
        text.rsplit_once(')')?.1.split_whitespace().map(str::to_owned).collect();
    (!words.is_empty()).then_some(words)
}
