//! What `--manifest` of each adapter printed, kept as long as the executable is the same one. The
//! cache may be deleted or damaged at any time; it is then written anew.

mod probe;
mod stamp;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use od_protocol::Manifest;
use serde::{Deserialize, Serialize};

use crate::discover::Rule;
use crate::settings::{Settings, TrustPolicy};
use crate::trust::{self, Problem};
use stamp::Stamp;

const FORMAT: u32 = 1;

/// The cache, read once and written when something changed.
#[derive(Debug)]
pub(crate) struct ManifestCache {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    entries: BTreeMap<PathBuf, Entry>,
    changed: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    stamp: Stamp,
    sha256: String,
    /// Null when the file was only hashed, because the policy forbids to execute it.
    manifest: Option<Manifest>,
}

#[derive(Serialize, Deserialize)]
struct Document {
    format: u32,
    entries: BTreeMap<PathBuf, Entry>,
}

impl ManifestCache {
    /// Reads the cache; a damaged one counts as empty.
    pub(crate) fn load(path: PathBuf) -> Self {
        let (entries, changed) = match read(&path) {
            Ok(entries) => (entries, false),
            Err(reason) => {
                tracing::warn!(path = %path.display(), %reason, "the manifest cache is written anew");
                (BTreeMap::new(), true)
            }
        };
        Self { path, state: Mutex::new(State { entries, changed }) }
    }

    /// The manifest and hash of an executable, from the cache while the file is the same.
    pub(crate) async fn manifest(
        &self,
        executable: &Path,
        settings: &Settings,
    ) -> Result<(Manifest, String), Problem> {
        let unreadable = |error: std::io::Error| Problem {
            rule: Rule::Unreadable,
            reason: format!("it cannot be read: {error}"),
            fix: format!("make {} readable", executable.display()),
        };
        let real = std::fs::canonicalize(executable).map_err(unreadable)?;
        let stamp = Stamp::of(&real).map_err(unreadable)?;
        let known = self.state().entries.get(&real).filter(|entry| entry.stamp == stamp).cloned();
        let sha256 = match &known {
            Some(entry) if settings.trust.policy == TrustPolicy::Path => entry.sha256.clone(),
            // A time stamp can be forged, so a pin is held against the file itself.
            _ => stamp::sha256(&real).map_err(unreadable)?,
        };
        let known = known.filter(|entry| entry.sha256 == sha256);
        let manifest = match trust::check_pin(&settings.trust, &sha256) {
            Err(problem) => {
                self.remember(real, Entry { stamp, sha256, manifest: None }, known.is_some());
                return Err(problem);
            }
            Ok(()) => known.and_then(|entry| entry.manifest),
        };
        if let Some(manifest) = manifest {
            return Ok((manifest, sha256));
        }
        let manifest = probe::ask(executable, settings).await?;
        let entry = Entry { stamp, sha256: sha256.clone(), manifest: Some(manifest.clone()) };
        self.remember(real, entry, false);
        Ok((manifest, sha256))
    }

    /// Writes the cache if something changed. Another host may do the same at the same time: each
    /// replaces the whole file at once, and what one forgets is asked for again.
    pub(crate) fn save(&self) {
        let mut state = self.state();
        if !state.changed {
            return;
        }
        state.entries.retain(|path, _| path.exists());
        let document = Document { format: FORMAT, entries: state.entries.clone() };
        match replace_json(&self.path, &document) {
            Ok(()) => state.changed = false,
            Err(error) => {
                tracing::warn!(path = %self.path.display(), %error, "cannot write the manifest cache");
            }
        }
    }

    fn remember(&self, real: PathBuf, entry: Entry, known: bool) {
        if !known {
            let mut state = self.state();
            state.entries.insert(real, entry);
            state.changed = true;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a cache file can be read, for `doctor`. An absent one can.
pub(crate) fn check(path: &Path) -> Result<usize, String> {
    read(path).map(|entries| entries.len())
}

/// Replaces a JSON file at once: a reader sees the old one or the new one, never a part.
pub(crate) fn replace_json(path: &Path, value: &impl Serialize) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer(&mut file, value)?;
    file.write_all(b"\n")?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

fn read(path: &Path) -> Result<BTreeMap<PathBuf, Entry>, String> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(error.to_string()),
    };
    let document: Document =
        serde_json::from_slice(&bytes).map_err(|error| format!("it is damaged: {error}"))?;
    if document.format != FORMAT {
        return Err(format!("it has format {}, this host writes {FORMAT}", document.format));
    }
    Ok(document.entries)
}
