//! `agents.json`: the last detection results. The file may be deleted or damaged at any time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use od_protocol::adapter::DetectAdapterResult;
use od_protocol::{AuthState, ErrorKind, ErrorObject};
use serde::{Deserialize, Serialize};

use super::agent::{Agent, Detection};
use super::fingerprint::DetectionInputs;
use crate::clock::now_ms;
use crate::discover::Adapter;
use crate::error::HostError;
use crate::files::stamp::Stamp;
use crate::files::{read_json, replace_json};

const FORMAT: u32 = 3;
const DAY_MS: u64 = 24 * 60 * 60 * 1000;
/// How long a hang, a missing CLI or a missing login is cached. Not zero, because every command would wait for a hanging
/// adapter; not a day, because a keychain or a folder outside PATH is not part of the fingerprint.
const NOT_READY_MS: u64 = 10 * 60 * 1000;
/// Clients that poll must not start a crashing adapter with every call.
const FAILURE_MS: u64 = 10 * 1000;

/// The results by adapter path.
#[derive(Debug)]
pub(super) struct AgentsCache {
    path: PathBuf,
    document: Document,
    /// The stamp of the file when it was last read or written; another process may have written it since.
    seen: Option<Stamp>,
    changed: bool,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Document {
    format: u32,
    agents: BTreeMap<PathBuf, Row>,
}

/// One agent: the last result, and a failure after it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Row {
    id: String,
    detected: Option<DetectAdapterResult>,
    detected_at: Option<u64>,
    failure: Option<ErrorObject>,
    failed_at: Option<u64>,
    fingerprint: String,
}

/// Whether a cached result can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Validity {
    Valid,
    /// The last detection has just failed.
    JustFailed,
    /// It is too old, or something it depends on has changed.
    Stale,
}

impl Row {
    /// Whether this result can be used now.
    pub(super) fn validity(&self, adapter: &Adapter, inputs: &DetectionInputs<'_>) -> Validity {
        if self.fingerprint != inputs.of(adapter, self.detected.as_ref()) {
            return Validity::Stale;
        }
        let within = |time: Option<u64>, limit: u64| {
            time.is_some_and(|time| now_ms().saturating_sub(time) < limit)
        };
        match (&self.failure, &self.detected) {
            (Some(failure), _) => {
                let hung = failure.kind() == ErrorKind::PluginHung;
                match (
                    hung,
                    within(self.failed_at, NOT_READY_MS),
                    within(self.failed_at, FAILURE_MS),
                ) {
                    (true, true, _) => Validity::Valid,
                    (_, _, true) => Validity::JustFailed,
                    _ => Validity::Stale,
                }
            }
            (None, Some(detected)) if within(self.detected_at, lifetime(detected)) => {
                Validity::Valid
            }
            _ => Validity::Stale,
        }
    }

    /// The agent according to this row.
    pub(super) fn agent(&self, adapter: &Adapter, validity: Validity) -> Agent {
        let (detected, before) = match (&self.failure, &self.detected) {
            (Some(failure), before) => (Err(HostError::from(failure.clone())), before.clone()),
            (None, Some(detected)) => (Ok(detected.clone()), None),
            (None, None) => (Err(pending()), None),
        };
        Agent {
            id: adapter.id.clone(),
            adapter_path: adapter.path.clone(),
            manifest: adapter.manifest.clone(),
            stale: validity != Validity::Valid || before.is_some(),
            detected,
            before,
            detected_at: self.detected_at,
        }
    }
}

/// How long a result is valid, in milliseconds.
fn lifetime(detected: &DetectAdapterResult) -> u64 {
    let expired = detected.auth.expires_at.is_some_and(|expiry| expiry <= now_ms());
    let waiting = matches!(detected.auth.state, AuthState::Missing | AuthState::Expired);
    match (expired, !detected.installed || waiting) {
        (true, _) => 0,
        (false, true) => NOT_READY_MS,
        (false, false) => DAY_MS,
    }
}

fn pending() -> HostError {
    HostError::protocol(ErrorKind::Timeout, "the adapter has not answered yet")
        .with_hint("try again in a few seconds")
        .with_which("detect")
}

impl AgentsCache {
    /// Reads the file; a damaged file counts as empty.
    pub(super) fn read(path: &Path) -> Self {
        let document = Document { format: FORMAT, agents: BTreeMap::new() };
        let mut cache = Self { path: path.to_owned(), document, seen: None, changed: false };
        cache.reread();
        cache
    }

    /// Reads the file again when another process has written it.
    pub(super) fn reread(&mut self) {
        let stamp = Stamp::of(&self.path).ok();
        if stamp == self.seen {
            return;
        }
        self.seen = stamp;
        match read(&self.path) {
            Ok(document) => self.document = document,
            Err(reason) => {
                tracing::warn!(path = %self.path.display(), %reason, "agents.json is damaged and will be replaced");
                self.changed = true;
            }
        }
    }

    pub(super) fn row(&self, adapter: &Adapter) -> Option<&Row> {
        self.document.agents.get(&adapter.path)
    }

    /// Stores a result; a failure keeps the result before it.
    pub(super) fn put(
        &mut self,
        adapter: &Adapter,
        detection: Detection,
        inputs: &DetectionInputs<'_>,
    ) {
        let row = self.document.agents.entry(adapter.path.clone()).or_default();
        row.id.clone_from(&adapter.id);
        match detection {
            Ok(detected) => {
                (row.detected, row.detected_at) = (Some(detected), Some(now_ms()));
                (row.failure, row.failed_at) = (None, None);
            }
            Err(failure) => (row.failure, row.failed_at) = (Some(failure), Some(now_ms())),
        }
        row.fingerprint = inputs.of(adapter, row.detected.as_ref());
        self.changed = true;
    }

    /// Writes the file if something has changed.
    pub(super) fn save(&mut self) {
        if !self.changed {
            return;
        }
        self.document.agents.retain(|path, _| path.exists());
        match replace_json(&self.path, &self.document) {
            Ok(()) => self.changed = false,
            Err(error) => {
                tracing::warn!(path = %self.path.display(), %error, "cannot write agents.json");
            }
        }
        self.seen = Stamp::of(&self.path).ok();
    }
}

/// Checks that the file can be read, for `doctor`; a missing file passes. Returns the number of entries.
pub(crate) fn check(path: &Path) -> Result<usize, String> {
    read(path).map(|document| document.agents.len())
}

fn read(path: &Path) -> Result<Document, String> {
    match read_json(path)? {
        None => Ok(Document { format: FORMAT, agents: BTreeMap::new() }),
        Some(document @ Document { format: FORMAT, .. }) => Ok(document),
        Some(Document { format, .. }) => {
            Err(format!("it has format {format}, this host writes {FORMAT}"))
        }
    }
}
