//! Which checks reach which fault, as recorded by the reference adapter.
//!
//! A mutant differs from the reference adapter only where the code queries its fault. With the same
//! random values, a check in which the reference adapter never queries the fault has the same result
//! for both.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::checks;
use crate::runner::EXERCISE_LABEL;

/// Which checks reach which fault.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FaultCoverage {
    by_fault: BTreeMap<String, ReachedBy>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct ReachedBy {
    /// A process outside all checks reached it, such as the one that printed the manifest.
    everywhere: bool,
    labels: BTreeSet<String>,
}

impl FaultCoverage {
    /// Reads the records of all adapter processes.
    ///
    /// # Errors
    /// When a record cannot be read.
    pub fn read(records: &Path, work: &Path) -> std::io::Result<Self> {
        let work = work.canonicalize()?;
        let mut coverage = Self::default();
        for entry in std::fs::read_dir(records)? {
            coverage.add(&std::fs::read_to_string(entry?.path())?, &work);
        }
        Ok(coverage)
    }

    /// Whether a check reaches a fault.
    pub fn covers(&self, fault: &str, check: &str) -> bool {
        let is_there = |places: &ReachedBy| places.everywhere || places.labels.contains(check);
        self.by_fault.get(fault).is_some_and(is_there)
    }

    /// Whether the runs for the stream rules reach a fault.
    pub fn exercise_covers(&self, fault: &str) -> bool {
        self.covers(fault, EXERCISE_LABEL)
    }

    fn add(&mut self, record: &str, work: &Path) {
        let mut lines = record.lines();
        let label = lines.next().and_then(|folder| label(Path::new(folder), work));
        for fault in lines {
            let places = self.by_fault.entry(fault.to_owned()).or_default();
            match &label {
                Some(label) => drop(places.labels.insert(label.clone())),
                None => places.everywhere = true,
            }
        }
    }
}

/// The check in whose folder a process was started (see `CheckContext::folder`).
fn label(folder: &Path, work: &Path) -> Option<String> {
    let inside = folder.strip_prefix(work).ok()?;
    let name = inside.components().next()?.as_os_str().to_str()?;
    let is_of = |label: &str| name.strip_prefix(label).is_some_and(|rest| rest.starts_with('-'));
    let checks = checks::all();
    let labels = checks.iter().map(|check| check.id).chain([EXERCISE_LABEL]);
    labels.into_iter().find(|label| is_of(label)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_counts_for_its_check_or_all() {
        let work = Path::new("/somewhere/work");
        let mut coverage = FaultCoverage::default();
        coverage.add("/somewhere/work/MAN-03-7-1-manifest/home\nbanner\n", work);
        coverage.add(&format!("/somewhere/work/{EXERCISE_LABEL}-7-1-plugin\nno_done\n"), work);
        coverage.add("/somewhere/work/manifest-home\nmanifest_lies\n", work);
        assert!(coverage.covers("banner", "MAN-03"));
        assert!(!coverage.covers("banner", "MAN-04"));
        assert!(coverage.exercise_covers("no_done") && !coverage.covers("no_done", "MAN-03"));
        assert!(coverage.covers("manifest_lies", "RES-02"));
        assert!(!coverage.covers("nobody_asked", "MAN-03"));
    }
}
