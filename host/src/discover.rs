//! Which adapters are there: the folders in order, the name rule, first wins; the rest explained.

pub(crate) mod search;

use std::path::PathBuf;
use std::sync::Arc;

use od_protocol::{MANIFEST_MAJOR, Manifest, ProtocolRange};
use serde::Serialize;
use tokio::task::JoinSet;

use crate::manifest_cache::ManifestCache;
use crate::settings::Settings;
use crate::trust::Problem;
use search::{Candidate, Folder};

/// Where a folder of adapters comes from, in the order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Origin {
    /// `--adapter-dir`.
    AdapterDir,
    /// `$OD_ADAPTER_PATH`.
    AdapterPath,
    /// Beside the host's own executable.
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
    /// What it says about itself.
    pub manifest: Manifest,
    /// Of the executable, in hex.
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

/// A file or folder that was passed over, with the reason and the fix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rejected {
    /// The id, when the thing is an executable with a proper name.
    pub id: Option<String>,
    /// The executable or folder.
    pub path: PathBuf,
    /// Where it was found.
    pub origin: Origin,
    /// Which rule it breaks.
    pub rule: Rule,
    /// Why, for people.
    pub reason: String,
    /// What to type or change.
    pub fix: String,
}

/// Why a candidate was passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Rule {
    /// A relative or empty folder name.
    RelativeFolder,
    /// Group or others can write the file.
    WritableFile,
    /// Group or others can write the folder.
    WritableFolder,
    /// The file belongs to a stranger.
    ForeignFile,
    /// The folder belongs to a stranger.
    ForeignFolder,
    /// The file cannot be executed.
    NotExecutable,
    /// The file cannot be looked at.
    Unreadable,
    /// Its hash is not listed, and the policy is `pinned`.
    NotPinned,
    /// `--manifest` took too long.
    ManifestTimeout,
    /// `--manifest` failed or printed no manifest.
    ManifestInvalid,
    /// The manifest is of a major this host does not know.
    ManifestMajor,
    /// `adapterId` differs from the file name.
    WrongId,
    /// No protocol major in common.
    Protocol,
    /// The adapter does not work on this platform.
    Platform,
}

/// What a search found.
#[derive(Debug, Clone, Default)]
pub struct Discovery {
    /// In order of their ids.
    pub adapters: Vec<Adapter>,
    /// Hidden by an earlier one.
    pub shadowed: Vec<Shadowed>,
    /// Passed over.
    pub rejected: Vec<Rejected>,
}

/// A search that goes on: what is found by name is asked for its manifest, all at once.
pub(crate) struct Search {
    rejected: Vec<Rejected>,
    asked: JoinSet<Discovery>,
    cache: Arc<ManifestCache>,
}

impl Search {
    /// Begins to look for adapters: all of them, or one by its id.
    pub(crate) fn begin(
        folders: &[Folder],
        wanted: Option<&str>,
        cache: &Arc<ManifestCache>,
        settings: &Arc<Settings>,
    ) -> Self {
        let found = search::search(folders, wanted);
        let mut asked = JoinSet::new();
        for (_, candidates) in found.candidates {
            let (cache, settings) = (Arc::clone(cache), Arc::clone(settings));
            asked.spawn(async move { first_usable(candidates, &cache, &settings).await });
        }
        Self { rejected: found.rejected, asked, cache: Arc::clone(cache) }
    }

    /// What came of the next name; `None` after the last.
    pub(crate) async fn next(&mut self) -> Option<Discovery> {
        while let Some(answer) = self.asked.join_next().await {
            if let Ok(answer) = answer {
                return Some(answer);
            }
        }
        self.cache.save();
        None
    }

    /// All of it, in order.
    pub(crate) async fn finish(mut self) -> Discovery {
        let rejected = std::mem::take(&mut self.rejected);
        let mut discovery = Discovery { rejected, ..Discovery::default() };
        while let Some(mut answer) = self.next().await {
            discovery.adapters.append(&mut answer.adapters);
            discovery.shadowed.append(&mut answer.shadowed);
            discovery.rejected.append(&mut answer.rejected);
        }
        discovery.adapters.sort_by(|left, right| left.id.cmp(&right.id));
        discovery.shadowed.sort_by(|left, right| left.id.cmp(&right.id));
        discovery.rejected.sort_by_key(|rejected| rejected.origin);
        discovery
    }
}

/// Of the files with one name the first that can be used wins; the usable rest is shadowed.
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
        let judged = answer.and_then(|(manifest, sha256)| {
            judge(&candidate, &manifest).map(|()| (manifest, sha256))
        });
        match judged {
            Ok((manifest, sha256)) => discovery.adapters.push(Adapter {
                id: candidate.id,
                path: candidate.path,
                origin: candidate.origin,
                manifest,
                sha256,
            }),
            Err(problem) => discovery.rejected.push(Rejected {
                id: Some(candidate.id),
                path: candidate.path,
                origin: candidate.origin,
                rule: problem.rule,
                reason: problem.reason,
                fix: problem.fix,
            }),
        }
    }
    discovery
}

fn judge(candidate: &Candidate, manifest: &Manifest) -> Result<(), Problem> {
    let refuse = |rule: Rule, reason: String, fix: String| Err(Problem { rule, reason, fix });
    if manifest.major() != Some(MANIFEST_MAJOR) {
        return refuse(
            Rule::ManifestMajor,
            format!(
                "its manifest has version {}, this host reads {MANIFEST_MAJOR}.x",
                manifest.manifest_version
            ),
            "upgrade od-host, or install an older version of the adapter".to_owned(),
        );
    }
    if manifest.adapter_id != candidate.id {
        return refuse(
            Rule::WrongId,
            format!(
                "it calls itself {:?}, its file name says {:?}",
                manifest.adapter_id, candidate.id
            ),
            format!("rename the file to od-adapter-{}", manifest.adapter_id),
        );
    }
    let ours = ProtocolRange::current();
    if ours.highest_common(&manifest.protocol).is_none() {
        let (min, max) = (manifest.protocol.min, manifest.protocol.max);
        let older = max < ours.min;
        return refuse(
            Rule::Protocol,
            format!("it speaks protocol {min} to {max}, this host {} to {}", ours.min, ours.max),
            format!("upgrade {}", if older { "the adapter" } else { "od-host" }),
        );
    }
    let platforms = &manifest.requirements.platforms;
    if !platforms.is_empty() && !platforms.iter().any(|platform| platform == std::env::consts::OS) {
        return refuse(
            Rule::Platform,
            format!("it works on {} only", platforms.join(", ")),
            format!("remove {}", candidate.path.display()),
        );
    }
    Ok(())
}
