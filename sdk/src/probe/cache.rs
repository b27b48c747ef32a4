//! Caches what agent CLIs answered, in the state folder: one small file per program name.
//!
//! An answer is valid while path, file number, size and modification time are the same. A cache file
//! that cannot be read or parsed counts as empty and is replaced.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::os;
use crate::{Flags, Machine, files};

/// A larger cache file is ignored.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// What one program answered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Answers {
    identity: Identity,
    /// The answer to `--version`.
    pub(crate) version: Option<VersionAnswer>,
    /// The flags of each help page, by the arguments that print it.
    pub(crate) help: BTreeMap<String, BTreeSet<String>>,
}

impl Answers {
    /// Returns the flags of all help pages that were read; `None` when none was.
    pub(crate) fn flags(&self) -> Option<Flags> {
        let names = self.help.values().flatten().cloned();
        (!self.help.is_empty()).then(|| Flags::from_names(names))
    }
}

/// The answer to `--version`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VersionAnswer {
    /// The version.
    pub(crate) version: String,
    /// When `--version` ran, in milliseconds since 1970.
    pub(crate) asked_at: u64,
}

/// Distinguishes a file from the one that replaced it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Identity {
    file_number: u64,
    size: u64,
    changed_at_ns: u64,
}

impl Identity {
    fn of(path: &Path) -> Option<Self> {
        let metadata = path.metadata().ok()?;
        let changed = metadata.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        Some(Self {
            file_number: os::file_number(&metadata),
            size: metadata.len(),
            changed_at_ns: u64::try_from(changed.as_nanos()).unwrap_or(u64::MAX),
        })
    }
}

/// Returns the cached answers of a program; empty when there are none.
pub(crate) fn load(machine: &Machine, cli: &Path) -> Answers {
    let Some(file) = cache_file(machine, cli) else { return Answers::default() };
    let answers = read(&file).remove(&key(cli)).unwrap_or_default();
    match Identity::of(cli) == Some(answers.identity.clone()) {
        true => answers,
        false => Answers::default(),
    }
}

/// Changes the cached answers of a program. A state folder that cannot be written only costs time
/// later.
pub(crate) fn update(machine: &Machine, cli: &Path, change: impl FnOnce(&mut Answers)) {
    let (Some(file), Some(identity)) = (cache_file(machine, cli), Identity::of(cli)) else {
        return;
    };
    let mut answers = load(machine, cli);
    answers.identity = identity;
    change(&mut answers);
    let mut all = read(&file);
    all.retain(|path, _| Path::new(path).exists());
    all.insert(key(cli), answers);
    let written = serde_json::to_vec_pretty(&all)
        .map_err(std::io::Error::from)
        .and_then(|content| files::replace(&file, &content));
    if let Err(error) = written {
        tracing::warn!(file = %file.display(), %error, "cannot cache an answer of the agent CLI");
    }
}

fn cache_file(machine: &Machine, cli: &Path) -> Option<PathBuf> {
    let name = cli.file_stem()?.to_string_lossy();
    Some(machine.state_dir.as_ref()?.join(format!("probe-{name}.json")))
}

fn key(cli: &Path) -> String {
    cli.to_string_lossy().into_owned()
}

fn read(file: &Path) -> BTreeMap<String, Answers> {
    files::read_bounded(file, MAX_FILE_BYTES)
        .ok()
        .and_then(|content| serde_json::from_slice(&content).ok())
        .unwrap_or_default()
}
