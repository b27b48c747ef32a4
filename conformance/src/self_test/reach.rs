//! Which checks come to the place of which fault, as the right adapter wrote it down.
//!
//! A mutant differs from the right adapter only where it asks for its fault. With the same random
//! values a check in which the right adapter never asks for it sees the same adapter twice, so the
//! verdict is known.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::cases;

/// What runs before any check, to make the adapter speak (see `judge`).
const TOUR: &str = "tour";

/// Which checks come to the place of which fault.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reach {
    by_fault: BTreeMap<String, Places>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Places {
    /// A process that belongs to no check came there, such as the one that printed the manifest.
    everywhere: bool,
    labels: BTreeSet<String>,
}

impl Reach {
    /// Reads what the processes of a judgement wrote down.
    ///
    /// # Errors
    /// When a record cannot be read.
    pub fn read(records: &Path, work: &Path) -> std::io::Result<Self> {
        let work = work.canonicalize()?;
        let mut reach = Self::default();
        for entry in std::fs::read_dir(records)? {
            reach.add(&std::fs::read_to_string(entry?.path())?, &work);
        }
        Ok(reach)
    }

    /// Whether a check comes to the place of a fault.
    pub fn covers(&self, fault: &str, check: &str) -> bool {
        let is_there = |places: &Places| places.everywhere || places.labels.contains(check);
        self.by_fault.get(fault).is_some_and(is_there)
    }

    /// Whether the runs that are made for the rules over every line come to the place of a fault.
    pub fn tour_covers(&self, fault: &str) -> bool {
        self.covers(fault, TOUR)
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

/// The check whose folder a process was started in (see `Bench::folder`).
fn label(folder: &Path, work: &Path) -> Option<String> {
    let inside = folder.strip_prefix(work).ok()?;
    let name = inside.components().next()?.as_os_str().to_str()?;
    let is_of = |label: &str| name.strip_prefix(label).is_some_and(|rest| rest.starts_with('-'));
    let checks = cases::all();
    let labels = checks.iter().map(|check| check.id).chain([TOUR]);
    labels.into_iter().find(|label| is_of(label)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_counts_for_its_check_and_one_of_no_check_for_all() {
        let work = Path::new("/somewhere/work");
        let mut reach = Reach::default();
        reach.add("/somewhere/work/MAN-03-7-1-manifest/home\nbanner\n", work);
        reach.add("/somewhere/work/tour-7-1-plugin\nno_done\n", work);
        reach.add("/somewhere/work/manifest-home\nmanifest_lies\n", work);
        assert!(reach.covers("banner", "MAN-03"));
        assert!(!reach.covers("banner", "MAN-04"));
        assert!(reach.tour_covers("no_done") && !reach.covers("no_done", "MAN-03"));
        assert!(reach.covers("manifest_lies", "RES-02"));
        assert!(!reach.covers("nobody_asked", "MAN-03"));
    }
}
