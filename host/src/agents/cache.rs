//! `agents.json`: the last results of detection. It may be deleted or damaged at any time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use od_protocol::DetectAdapterResult;
use serde::{Deserialize, Serialize};

use super::fingerprint::Surroundings;
use crate::discover::Adapter;
use crate::manifest_cache::replace_json;
use crate::run::now_ms;

const FORMAT: u32 = 1;
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

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
    detected: DetectAdapterResult,
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
    pub(super) fn get(
        &self,
        adapter: &Adapter,
        surroundings: &Surroundings,
    ) -> Option<DetectAdapterResult> {
        let row = self.document.agents.get(&adapter.path)?;
        let now = now_ms();
        let fresh = now.saturating_sub(row.detected_at) < DAY_MS;
        let expired = row.detected.auth.expires_at.is_some_and(|expiry| expiry <= now);
        let same = row.fingerprint == surroundings.of(adapter, &row.detected);
        (fresh && !expired && same).then(|| row.detected.clone())
    }

    /// Remembers a result.
    pub(super) fn put(
        &mut self,
        adapter: &Adapter,
        detected: &DetectAdapterResult,
        surroundings: &Surroundings,
    ) {
        let row = Row {
            id: adapter.id.clone(),
            detected_at: now_ms(),
            fingerprint: surroundings.of(adapter, detected),
            detected: detected.clone(),
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
