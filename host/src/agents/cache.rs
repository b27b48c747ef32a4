//! `agents.json`: the last results of detection. It may be deleted or damaged at any time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use od_protocol::{DetectAdapterResult, ErrorKind, ErrorObject};
use serde::{Deserialize, Serialize};

use super::Detection;
use super::fingerprint::Surroundings;
use crate::discover::Adapter;
use crate::manifest_cache::replace_json;
use crate::run::now_ms;

const FORMAT: u32 = 2;
const DAY_MS: u64 = 24 * 60 * 60 * 1000;
/// An adapter that hangs costs its limit once in this time, not with every command.
const HUNG_MS: u64 = 10 * 60 * 1000;

/// The results, by the adapter's path.
#[derive(Debug)]
pub(super) struct AgentsCache {
    path: PathBuf,
    document: Document,
    changed: bool,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Document {
    format: u32,
    agents: BTreeMap<PathBuf, Row>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    id: String,
    detected_at: u64,
    fingerprint: String,
    outcome: Outcome,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Outcome {
    Detected(DetectAdapterResult),
    Hung(ErrorObject),
}

impl AgentsCache {
    /// Reads the file; a damaged one counts as empty.
    pub(super) fn read(path: &Path) -> Self {
        let (document, changed) = match read(path) {
            Ok(document) => (document, false),
            Err(reason) => {
                tracing::warn!(path = %path.display(), %reason, "agents.json is written anew");
                (Document { format: FORMAT, agents: BTreeMap::new() }, true)
            }
        };
        Self { path: path.to_owned(), document, changed }
    }

    /// A result that is still good.
    pub(super) fn get(&self, adapter: &Adapter, surroundings: &Surroundings) -> Option<Detection> {
        let row = self.document.agents.get(&adapter.path)?;
        let age = now_ms().saturating_sub(row.detected_at);
        let good = match &row.outcome {
            Outcome::Hung(_) => age < HUNG_MS,
            Outcome::Detected(detected) => age < DAY_MS && !has_expired(detected),
        };
        let same = row.fingerprint == surroundings.of(adapter, row.outcome.detected());
        (good && same).then(|| match &row.outcome {
            Outcome::Detected(detected) => Ok(detected.clone()),
            Outcome::Hung(error) => Err(error.clone()),
        })
    }

    /// Remembers a result; of failures only a hang, which is the one that is slow to find out.
    pub(super) fn put(
        &mut self,
        adapter: &Adapter,
        detection: &Detection,
        surroundings: &Surroundings,
    ) {
        let outcome = match detection {
            Ok(detected) => Outcome::Detected(detected.clone()),
            Err(error) if error.kind() == ErrorKind::PluginHung => Outcome::Hung(error.clone()),
            Err(_) => {
                self.changed |= self.document.agents.remove(&adapter.path).is_some();
                return;
            }
        };
        let row = Row {
            id: adapter.id.clone(),
            detected_at: now_ms(),
            fingerprint: surroundings.of(adapter, outcome.detected()),
            outcome,
        };
        self.document.agents.insert(adapter.path.clone(), row);
        self.changed = true;
    }

    /// Writes the file if something changed.
    pub(super) fn save(mut self) {
        if !self.changed {
            return;
        }
        self.document.agents.retain(|path, _| path.exists());
        if let Err(error) = replace_json(&self.path, &self.document) {
            tracing::warn!(path = %self.path.display(), %error, "cannot write agents.json");
        }
    }
}

impl Outcome {
    fn detected(&self) -> Option<&DetectAdapterResult> {
        match self {
            Self::Detected(detected) => Some(detected),
            Self::Hung(_) => None,
        }
    }
}

fn has_expired(detected: &DetectAdapterResult) -> bool {
    detected.auth.expires_at.is_some_and(|expiry| expiry <= now_ms())
}

/// Whether the file can be read, for `doctor`. An absent one can.
pub(crate) fn check(path: &Path) -> Result<usize, String> {
    read(path).map(|document| document.agents.len())
}

fn read(path: &Path) -> Result<Document, String> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Document { format: FORMAT, agents: BTreeMap::new() });
        }
        Err(error) => return Err(error.to_string()),
    };
    let document: Document =
        serde_json::from_slice(&bytes).map_err(|error| format!("it is damaged: {error}"))?;
    if document.format != FORMAT {
        return Err(format!("it has format {}, this host writes {FORMAT}", document.format));
    }
    Ok(document)
}
