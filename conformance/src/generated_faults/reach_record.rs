//! Records which faults would alter a message of this process. The self-test records this for the
//! reference adapter, to run each fault only with the checks that can find it.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::catalogue::catalogue;
use super::fault::{Alteration, Change, Place, Verdict};
use super::message::Message;
use super::value_change::FirstValues;

/// The folder beside the executable that enables the record. Each process writes one file: the
/// folder it was started in, then the name of each fault it reached.
pub const REACHED_FOLDER: &str = "reached-generated";

/// The record of one process.
pub(super) struct ReachRecord {
    file: PathBuf,
    /// The faults that were not reached yet.
    open: HashMap<Place, Vec<(String, Alteration)>>,
    first_values: FirstValues,
}

impl ReachRecord {
    /// Starts the record if it is enabled.
    pub(super) fn open(executable: &Path) -> Option<Self> {
        let folder = executable.with_file_name(REACHED_FOLDER);
        if !folder.is_dir() {
            return None;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let mut open: HashMap<Place, Vec<(String, Alteration)>> = HashMap::new();
        for fault in catalogue().into_iter().filter(|fault| fault.verdict == Verdict::Forbidden) {
            for alteration in fault.alterations {
                let place = alteration.place.clone();
                open.entry(place).or_default().push((fault.name.clone(), alteration));
            }
        }
        let record = Self {
            file: folder.join(format!("{}-{now}", std::process::id())),
            open,
            first_values: FirstValues::default(),
        };
        record.append(&std::env::current_dir().unwrap_or_default().to_string_lossy());
        Some(record)
    }

    /// Records the faults of these places that would alter the message.
    pub(super) fn note(&mut self, message: &Message, places: &[Place]) {
        for place in places {
            let Some(faults) = self.open.get_mut(place) else { continue };
            let mut message = message.clone();
            let Some(part) = message.part(place) else { continue };
            let reached: Vec<String> = faults
                .extract_if(.., |(_, alteration)| {
                    would_alter(&mut self.first_values, part, alteration)
                })
                .map(|(name, _)| name)
                .collect();
            reached.iter().for_each(|name| self.append(name));
        }
    }

    /// The file is not kept open, because a check counts the open files of an adapter.
    fn append(&self, line: &str) {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&self.file);
        if let Err(error) = file.and_then(|mut file| writeln!(file, "{line}")) {
            eprintln!("{} cannot be written: {error}", self.file.display());
        }
    }
}

fn would_alter(
    first_values: &mut FirstValues,
    part: &serde_json::Value,
    alteration: &Alteration,
) -> bool {
    match alteration.change {
        Change::Message(_) | Change::Line(_) => true,
        _ => first_values.apply(&mut part.clone(), alteration),
    }
}
