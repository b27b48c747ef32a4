//! Processor time and memory from `/proc` on Linux. On other systems these figures are left out.

use std::fs;

use od_os::process::{self, ProcessTable};

/// Linux reports the time of a process in hundredths of a second, independent of the kernel's clock rate.
const TICKS_PER_SECOND: f64 = 100.0;

/// Processor time in seconds.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ProcessorTime {
    /// Of the process itself.
    pub(super) own: f64,
    /// Of the exited children and their children.
    pub(super) ended_children: f64,
}

/// Memory in megabytes.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Memory {
    /// All resident pages.
    pub(super) resident: f64,
    /// The same, with shared pages divided by the number of processes that share them.
    pub(super) proportional: f64,
}

impl std::ops::Add for Memory {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            resident: self.resident + other.resident,
            proportional: self.proportional + other.proportional,
        }
    }
}

/// This process's time so far.
pub(super) fn processor_time() -> Option<ProcessorTime> {
    processor_time_of(std::process::id())
}

/// A process's time so far.
pub(super) fn processor_time_of(pid: u32) -> Option<ProcessorTime> {
    let fields = stat_fields(pid)?;
    let seconds = |index: usize| -> Option<f64> {
        Some(fields.get(index)?.parse::<f64>().ok()? / TICKS_PER_SECOND)
    };
    Some(ProcessorTime {
        own: seconds(11)? + seconds(12)?,
        ended_children: seconds(13)? + seconds(14)?,
    })
}

/// The current memory of a process.
pub(super) fn memory(pid: u32) -> Option<Memory> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let megabytes = |name: &str| -> Option<f64> {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.trim().trim_end_matches(" kB").parse::<f64>().ok()? / 1024.0)
    };
    Some(Memory { resident: megabytes("Rss:")?, proportional: megabytes("Pss:")? })
}

/// The children of a process.
pub(super) fn children(parent: u32) -> Vec<u32> {
    let table = ProcessTable::read();
    let children = table.iter().filter(|process| process.parent == parent);
    children.map(|process| process.pid).collect()
}

/// Whether a process is running; a zombie is not.
pub(super) fn is_alive(pid: u32) -> bool {
    process::find(pid).is_some_and(|process| !process.has_ended)
}

/// The fields of `/proc/…/stat` after the name, which may contain anything.
fn stat_fields(pid: u32) -> Option<Vec<String>> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = text.rsplit_once(')')?;
    Some(fields.split_ascii_whitespace().map(str::to_owned).collect())
}
