//! Caches the output of `--manifest` of each adapter as long as the executable does not change. A cache that was
//! deleted or damaged is rebuilt.

mod probe;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use od_protocol::Manifest;
use serde::{Deserialize, Serialize};

use super::pins;
use crate::clock::now_ms;
use crate::files::stamp::{self, Stamp};
use crate::files::trust::{Problem, Rule};
use crate::files::{read_json, replace_json};
use crate::plugin::host_marker::HostMarker;
use crate::settings::{Settings, TrustPolicy};
use crate::sync::lock;

const FORMAT: u32 = 1;
/// An adapter whose `--manifest` timed out is not asked again for this long.
const TIMEOUT_RETRY_MS: u64 = 60 * 1000;

/// The cache, read once and written after a change.
#[derive(Debug)]
pub(crate) struct ManifestCache {
    path: PathBuf,
    /// The PATH of the adapter processes.
    search_path: Option<OsString>,
    /// Marks the adapter processes as started by this host.
    marker: HostMarker,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    entries: BTreeMap<PathBuf, Entry>,
    has_changed: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    stamp: Stamp,
    sha256: String,
    /// Null when unknown: the policy forbids to execute the file, or `--manifest` timed out.
    manifest: Option<Manifest>,
    /// When `--manifest` timed out, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    silent_at: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct Document {
    format: u32,
    entries: BTreeMap<PathBuf, Entry>,
}

impl ManifestCache {
    /// Loads the cache; a damaged one counts as empty.
    pub(crate) fn load(path: PathBuf, search_path: Option<OsString>, marker: HostMarker) -> Self {
        let (entries, has_changed) = match read(&path) {
            Ok(entries) => (entries, false),
            Err(reason) => {
                tracing::warn!(path = %path.display(), %reason, "rebuilding the manifest cache");
                (BTreeMap::new(), true)
            }
        };
        Self { path, search_path, marker, state: Mutex::new(State { entries, has_changed }) }
    }

    /// Returns the manifest and the hash of an executable, from the cache if the file is unchanged.
    pub(crate) async fn manifest(
        &self,
        executable: &Path,
        settings: &Settings,
    ) -> Result<(Manifest, String), Problem> {
        let unreadable = |error: std::io::Error| Problem {
            rule: Rule::Unreadable,
            reason: format!("cannot read it: {error}"),
            fix: format!("make {} readable", executable.display()),
        };
        let real = std::fs::canonicalize(executable).map_err(unreadable)?;
        let stamp = Stamp::of(&real).map_err(unreadable)?;
        let known = self.state().entries.get(&real).filter(|entry| entry.stamp == stamp).cloned();
        let sha256 = match &known {
            Some(entry) if settings.trust.policy == TrustPolicy::Path => entry.sha256.clone(),
            // A time stamp can be forged, so a pin is checked against the content of the file.
            _ => stamp::sha256(&real).map_err(unreadable)?,
        };
        let known = known.filter(|entry| entry.sha256 == sha256);
        let mut entry = Entry { stamp, sha256, manifest: None, silent_at: None };
        if let Err(problem) = pins::check_pin(&settings.trust, &entry.sha256) {
            self.remember(real, entry);
            return Err(problem);
        }
        if let Some(known) = known {
            if let Some(manifest) = known.manifest {
                return Ok((manifest, known.sha256));
            }
            if known.silent_at.is_some_and(|at| now_ms().saturating_sub(at) < TIMEOUT_RETRY_MS) {
                return Err(probe::timed_out(executable));
            }
        }
        let answer =
            probe::read_manifest(executable, settings, self.search_path.as_deref(), &self.marker)
                .await;
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

    /// Writes the cache after a change. Another host may do so at the same time: each replaces the whole file, and an
    /// entry that gets lost is read again.
    pub(crate) fn save(&self) {
        let mut state = self.state();
        if !state.has_changed {
            return;
        }
        state.entries.retain(|path, _| path.exists());
        let document = Document { format: FORMAT, entries: state.entries.clone() };
        match replace_json(&self.path, &document) {
            Ok(()) => state.has_changed = false,
            Err(error) => {
                tracing::warn!(path = %self.path.display(), %error, "cannot write the manifest cache");
            }
        }
    }

    fn remember(&self, real: PathBuf, entry: Entry) {
        let mut state = self.state();
        if state.entries.get(&real) != Some(&entry) {
            state.entries.insert(real, entry);
            state.has_changed = true;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

/// Checks whether the cache file can be read, for `doctor`. An absent file can.
pub(crate) fn check(path: &Path) -> Result<usize, String> {
    read(path).map(|entries| entries.len())
}

fn read(path: &Path) -> Result<BTreeMap<PathBuf, Entry>, String> {
    match read_json(path)? {
        None => Ok(BTreeMap::new()),
        Some(Document { format: FORMAT, entries }) => Ok(entries),
        Some(Document { format, .. }) => {
            Err(format!("it has format {format}, this host writes {FORMAT}"))
        }
    }
}
