//! Finds adapters: searches the folders in order of precedence; the first usable file with a name is used. Reports why
//! every other candidate is not used.

pub(crate) mod manifest_cache;
pub(crate) mod pins;
pub(crate) mod search;

pub use crate::files::trust::Rule;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use od_protocol::{MANIFEST_MAJOR, Manifest, ProtocolRange};
use serde::Serialize;
use tokio::task::JoinSet;

use crate::files::trust::Problem;
use crate::settings::Settings;
use manifest_cache::ManifestCache;
use search::{Candidate, Folder};

/// Where a folder of adapters comes from, in order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Origin {
    /// `--adapter-dir`.
    AdapterDir,
    /// `$OD_ADAPTER_PATH`.
    AdapterPath,
    /// The folder of the host's own executable.
    BesideHost,
    /// `$OD_HOME/adapters`.
    UserFolder,
    /// `PATH`.
    Path,
}

/// An adapter that may be used.
#[derive(Debug, Clone)]
pub struct Adapter {
    /// The id: the file name after `od-adapter-`.
    pub id: String,
    /// The executable, as found.
    pub path: PathBuf,
    /// Where it was found.
    pub origin: Origin,
    /// Its manifest.
    pub manifest: Manifest,
    /// The hash of the executable, in hex.
    pub sha256: String,
}

/// An adapter that is hidden by an earlier one of the same name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shadowed {
    /// The id.
    pub id: String,
    /// The executable that is not used.
    pub path: PathBuf,
    /// The one that is.
    pub by: PathBuf,
}

/// A file or folder that is not used, with the reason and the fix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rejected {
    /// The id, when it is a file with a valid name.
    pub id: Option<String>,
    /// The executable or folder.
    pub path: PathBuf,
    /// Where it was found.
    pub origin: Origin,
    /// The rule it violates.
    pub rule: Rule,
    /// The reason, for people.
    pub reason: String,
    /// What to type or change.
    pub fix: String,
}

impl Rejected {
    fn new(id: Option<&str>, path: &Path, origin: Origin, problem: Problem) -> Self {
        let Problem { rule, reason, fix } = problem;
        Self { id: id.map(str::to_owned), path: path.to_owned(), origin, rule, reason, fix }
    }
}

/// The result of a search.
#[derive(Debug, Clone, Default)]
pub struct Discovery {
    /// Sorted by id.
    pub adapters: Vec<Adapter>,
    /// Hidden by an earlier file with the same name.
    pub shadowed: Vec<Shadowed>,
    /// Not used.
    pub rejected: Vec<Rejected>,
}

/// A search in progress: reads the manifests of all candidates concurrently.
pub(crate) struct Search {
    rejected: Vec<Rejected>,
    probes: JoinSet<Discovery>,
    cache: Arc<ManifestCache>,
}

impl Search {
    /// Starts a search for all adapters, or for one id.
    pub(crate) fn begin(
        folders: &[Folder],
        wanted: Option<&str>,
        cache: &Arc<ManifestCache>,
        settings: &Arc<Settings>,
    ) -> Self {
        let found = search::search(folders, wanted);
        let mut probes = JoinSet::new();
        for (_, candidates) in found.candidates {
            let (cache, settings) = (Arc::clone(cache), Arc::clone(settings));
            probes.spawn(async move { first_usable(candidates, &cache, &settings).await });
        }
        Self { rejected: found.rejected, probes, cache: Arc::clone(cache) }
    }

    /// Returns the result for the next name; `None` after the last.
    pub(crate) async fn next(&mut self) -> Option<Discovery> {
        while let Some(result) = self.probes.join_next().await {
            if let Ok(result) = result {
                return Some(result);
            }
        }
        self.cache.save();
        None
    }

    /// Waits for all results and sorts them.
    pub(crate) async fn finish(mut self) -> Discovery {
        let rejected = std::mem::take(&mut self.rejected);
        let mut discovery = Discovery { rejected, ..Discovery::default() };
        while let Some(mut found) = self.next().await {
            discovery.adapters.append(&mut found.adapters);
            discovery.shadowed.append(&mut found.shadowed);
            discovery.rejected.append(&mut found.rejected);
        }
        discovery.adapters.sort_by(|left, right| left.id.cmp(&right.id));
        discovery.shadowed.sort_by(|left, right| left.id.cmp(&right.id));
        discovery.rejected.sort_by_key(|rejected| rejected.origin);
        discovery
    }
}

/// Picks the first usable file of those with one name; later usable files are shadowed.
async fn first_usable(
    candidates: Vec<Candidate>,
    cache: &ManifestCache,
    settings: &Settings,
) -> Discovery {
    let mut discovery = Discovery::default();
    for candidate in candidates {
        if let Some(winner) = discovery.adapters.first() {
            let by = winner.path.clone();
            discovery.shadowed.push(Shadowed { id: candidate.id, path: candidate.path, by });
            continue;
        }
        let answer = cache.manifest(&candidate.path, settings).await;
        let checked = answer.and_then(|(manifest, sha256)| {
            check_manifest(&candidate, &manifest).map(|()| (manifest, sha256))
        });
        match checked {
            Ok((manifest, sha256)) => discovery.adapters.push(Adapter {
                id: candidate.id,
                path: candidate.path,
                origin: candidate.origin,
                manifest,
                sha256,
            }),
            Err(problem) => {
                let Candidate { id, path, origin } = candidate;
                discovery.rejected.push(Rejected::new(Some(&id), &path, origin, problem));
            }
        }
    }
    discovery
}

fn check_manifest(candidate: &Candidate, manifest: &Manifest) -> Result<(), Problem> {
    let reject = |rule: Rule, reason: String, fix: String| Err(Problem { rule, reason, fix });
    if manifest.major() != Some(MANIFEST_MAJOR) {
        return reject(
            Rule::ManifestMajor,
            format!(
                "its manifest has version {}, this host supports {MANIFEST_MAJOR}.x",
                manifest.manifest_version
            ),
            "upgrade od-host, or install an older version of the adapter".to_owned(),
        );
    }
    if manifest.adapter_id != candidate.id {
        return reject(
            Rule::WrongId,
            format!(
                "its manifest has the id {:?}, its file name {:?}",
                manifest.adapter_id, candidate.id
            ),
            format!("rename the file to od-adapter-{}", manifest.adapter_id),
        );
    }
    let ours = ProtocolRange::current();
    if ours.highest_common(&manifest.protocol).is_none() {
        let (min, max) = (manifest.protocol.min, manifest.protocol.max);
        let is_older = max < ours.min;
        return reject(
            Rule::Protocol,
            format!("it supports protocol {min} to {max}, this host {} to {}", ours.min, ours.max),
            format!("upgrade {}", if is_older { "the adapter" } else { "od-host" }),
        );
    }
    let platforms = &manifest.requirements.platforms;
    if !platforms.is_empty() && !platforms.iter().any(|platform| platform == std::env::consts::OS) {
        return reject(
            Rule::Platform,
            format!("it supports {} only", platforms.join(", ")),
            format!("remove {}", candidate.path.display()),
        );
    }
    Ok(())
}
