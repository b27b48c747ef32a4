//! What `--manifest` of each adapter printed, kept as long as the executable is the same one. The
//! cache may be deleted or damaged at any time; it is then written anew.

mod probe;
pub(crate) mod stamp;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use od_protocol::Manifest;
use serde::{Deserialize, Serialize};

use crate::discover::Rule;
use crate::plugin::mark::Mark;
use crate::run::now_ms;
use crate::settings::{Settings, TrustPolicy};
use crate::trust::{self, Problem};
use stamp::Stamp;

const FORMAT: u32 = 1;
/// An adapter that does not answer costs its limit once in this time, not with every command.
const SILENCE_MS: u64 = 60 * 1000;

/// The cache, read once and written when something changed.
#[derive(Debug)]
pub(crate) struct ManifestCache {
    path: PathBuf,
    /// The PATH of an adapter that is asked.
    search_path: Option<OsString>,
    /// What such an adapter is found by when this host is gone.
    mark: Mark,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    entries: BTreeMap<PathBuf, Entry>,
    changed: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    stamp: Stamp,
    sha256: String,
    /// Null when there is none: the policy forbids to execute the file, or it did not answer.
    manifest: Option<Manifest>,
    /// When it did not answer in time, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    silent_at: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct Document {
    format: u32,
    entries: BTreeMap<PathBuf, Entry>,
}

impl ManifestCache {
    /// Reads the cache; a damaged one counts as empty.
    pub(crate) fn load(path: PathBuf, search_path: Option<OsString>, mark: Mark) -> Self {
        let (entries, changed) = match read(&path) {
            Ok(entries) => (entries, false),
            Err(reason) => {
                tracing::warn!(path = %path.display(), %reason, "the manifest cache is written anew");
                (BTreeMap::new(), true)
            }
        };
        Self { path, search_path, mark, state: Mutex::new(State { entries, changed }) }
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
        let mut entry = Entry { stamp, sha256, manifest: None, silent_at: None };
        if let Err(problem) = trust::check_pin(&settings.trust, &entry.sha256) {
            self.remember(real, entry);
            return Err(problem);
        }
        if let Some(known) = known {
            if let Some(manifest) = known.manifest {
                return Ok((manifest, known.sha256));
            }
            if known.silent_at.is_some_and(|at| now_ms().saturating_sub(at) < SILENCE_MS) {
                return Err(probe::silent(executable));
            }
        }
        let answer =
            probe::ask(executable, settings, self.search_path.as_deref(), &self.mark).await;
        match &answer {
            Ok(manifest) => entry.manifest = Some(manifest.clone()),
            Err(problem) if problem.rule == Rule::ManifestTimeout => {
                entry.silent_at = Some(now_ms())
            }
            Err(_) => {}
        }
        let sha256 = entry.sha256.clone();
        self.remember(real, entry);
        answer.map(|manifest| (manifest, sha256))
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

    fn remember(&self, real: PathBuf, entry: Entry) {
        let mut state = self.state();
        if state.entries.get(&real) != Some(&entry) {
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
