//! Marks an adapter process with the host that started it. If that host is killed and the process survives, the next host
//! of the same home finds it by its marker.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use od_os::process;

/// The variable that contains the marker.
pub(crate) const VARIABLE: &str = "OD_STARTED_BY";

/// A host: its process and its home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HostMarker {
    pub(crate) pid: u32,
    /// The start time of the process, because the system reuses pids.
    pub(crate) start_time: u64,
    pub(crate) home: PathBuf,
}

impl HostMarker {
    pub(crate) fn own(home: &Path) -> Self {
        let pid = std::process::id();
        Self {
            pid,
            start_time: process::find(pid).map_or(0, |process| process.start_time),
            home: home.to_owned(),
        }
    }

    /// Parses a value of the variable; `None` when it is not valid.
    pub(crate) fn parse(value: &str) -> Option<Self> {
        let mut parts = value.splitn(3, ':');
        let pid = parts.next()?.parse().ok()?;
        let start_time = parts.next()?.parse().ok()?;
        Some(Self { pid, start_time, home: PathBuf::from(parts.next()?) })
    }

    /// The variable for a new process.
    pub(crate) fn variable(&self) -> (OsString, OsString) {
        let mut value = OsString::from(format!("{}:{}:", self.pid, self.start_time));
        value.push(&self.home);
        (VARIABLE.into(), value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marker_round_trips() {
        let marker = HostMarker { pid: 7, start_time: 42, home: "/home/a:b".into() };
        let (name, value) = marker.variable();
        assert_eq!(name, VARIABLE);
        assert_eq!(value.to_str().and_then(HostMarker::parse), Some(marker));
        for wrong in ["", "7", "7:42", "x:42:/home", "7::/home"] {
            assert_eq!(HostMarker::parse(wrong), None, "{wrong}");
        }
    }
}
