//! The mark of an adapter process: which host has started it. When that host was killed and the process did not
//! end with it, the next host of the same home finds it by its mark.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use od_os::process;

/// The variable that holds the mark.
pub(crate) const VARIABLE: &str = "OD_STARTED_BY";

/// A host: its process, and the home that it works for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) pid: u32,
    /// When the process was started: ids are used again.
    pub(crate) birth: u64,
    pub(crate) home: PathBuf,
}

impl Mark {
    /// The mark of this process.
    pub(crate) fn own(home: &Path) -> Self {
        let pid = std::process::id();
        Self { pid, birth: process::find(pid).map_or(0, |process| process.start_time), home: home.to_owned() }
    }

    /// Reads a value of the variable; a home that is no UTF-8 is nobody's.
    pub(crate) fn read(value: &str) -> Option<Self> {
        let mut parts = value.splitn(3, ':');
        let pid = parts.next()?.parse().ok()?;
        let birth = parts.next()?.parse().ok()?;
        Some(Self { pid, birth, home: PathBuf::from(parts.next()?) })
    }

    /// The variable for a process that is started.
    pub(crate) fn variable(&self) -> (OsString, OsString) {
        let mut value = OsString::from(format!("{}:{}:", self.pid, self.birth));
        value.push(&self.home);
        (VARIABLE.into(), value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_as_it_is_written() {
        let mark = Mark { pid: 7, birth: 42, home: "/home/a:b".into() };
        let (name, value) = mark.variable();
        assert_eq!(name, VARIABLE);
        assert_eq!(value.to_str().and_then(Mark::read), Some(mark));
        for wrong in ["", "7", "7:42", "x:42:/home", "7::/home"] {
            assert_eq!(Mark::read(wrong), None, "{wrong}");
        }
    }
}
