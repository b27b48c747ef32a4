//! `agents.json`: the last results of detection. It may be deleted or damaged at any time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use od_protocol::{AuthState, DetectAdapterResult, ErrorKind, ErrorObject};
use serde::{Deserialize, Serialize};

use super::fingerprint::Surroundings;
use super::{Agent, Detection};
use crate::discover::Adapter;
use crate::error::HostError;
use crate::manifest_cache::replace_json;
use crate::manifest_cache::stamp::Stamp;
use crate::run::now_ms;

const FORMAT: u32 = 3;
const DAY_MS: u64 = 24 * 60 * 60 * 1000;
/// An adapter that hangs costs its limit once in this time, not with every command. What was not
/// installed or logged in is looked at again as soon: a keychain or a folder off PATH leaves no trace
/// in the fingerprint.
const SHORT_MS: u64 = 10 * 60 * 1000;
/// An app that asks all the time does not start a crashing adapter all the time.
const JUST_NOW_MS: u64 = 10 * 1000;

/// The results, by the adapter's path.
#[derive(Debug)]
pub(super) struct AgentsCache {
    path: PathBuf,
    document: Document,
    /// The file as it was read or written last; another process may have written it since.
    seen: Option<Stamp>,
    changed: bool,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Document {
    format: u32,
    agents: BTreeMap<PathBuf, Row>,
}

/// One agent: the last result, and the failure that came after it.
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

/// What a row is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Worth {
    /// It holds.
    Good,
    /// It failed a moment ago.
    JustFailed,
    /// It is too old, or something it stands on has changed.
    Stale,
}

impl Row {
    /// What it is worth now.
    pub(super) fn worth(&self, adapter: &Adapter, surroundings: &Surroundings<'_>) -> Worth {
        if self.fingerprint != surroundings.of(adapter, self.detected.as_ref()) {
            return Worth::Stale;
        }
        let within = |time: Option<u64>, limit: u64| {
            time.is_some_and(|time| now_ms().saturating_sub(time) < limit)
        };
        match (&self.failure, &self.detected) {
            (Some(failure), _) => {
                let hung = failure.kind() == ErrorKind::PluginHung;
                match (hung, within(self.failed_at, SHORT_MS), within(self.failed_at, JUST_NOW_MS))
                {
                    (true, true, _) => Worth::Good,
                    (_, _, true) => Worth::JustFailed,
                    _ => Worth::Stale,
                }
            }
            (None, Some(detected)) if within(self.detected_at, lifetime(detected)) => Worth::Good,
            _ => Worth::Stale,
        }
    }

    /// The agent as this row knows it.
    pub(super) fn agent(&self, adapter: &Adapter, worth: Worth) -> Agent {
        let (detected, before) = match (&self.failure, &self.detected) {
            (Some(failure), before) => (Err(HostError::from(failure.clone())), before.clone()),
            (None, Some(detected)) => (Ok(detected.clone()), None),
            (None, None) => (Err(being_looked_at()), None),
        };
        Agent {
            id: adapter.id.clone(),
            adapter_path: adapter.path.clone(),
            manifest: adapter.manifest.clone(),
            stale: worth != Worth::Good || before.is_some(),
            detected,
            before,
            detected_at: self.detected_at,
        }
    }
}

/// How long a result may be shown as true.
fn lifetime(detected: &DetectAdapterResult) -> u64 {
    let expired = detected.auth.expires_at.is_some_and(|expiry| expiry <= now_ms());
    let waiting = matches!(detected.auth.state, AuthState::Missing | AuthState::Expired);
    match (expired, !detected.installed || waiting) {
        (true, _) => 0,
        (false, true) => SHORT_MS,
        (false, false) => DAY_MS,
    }
}

fn being_looked_at() -> HostError {
    HostError::protocol(ErrorKind::Timeout, "its adapter has not answered yet")
        .with_hint("ask again in a moment")
        .with_which("detect")
}

impl AgentsCache {
    /// Reads the file; a damaged one counts as empty.
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
                tracing::warn!(path = %self.path.display(), %reason, "agents.json is written anew");
                self.changed = true;
            }
        }
    }

    /// What is known of an adapter's agent.
    pub(super) fn row(&self, adapter: &Adapter) -> Option<&Row> {
        self.document.agents.get(&adapter.path)
    }

    /// Remembers a result; a failure leaves what was found before.
    pub(super) fn put(
        &mut self,
        adapter: &Adapter,
        detection: Detection,
        surroundings: &Surroundings<'_>,
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
        row.fingerprint = surroundings.of(adapter, row.detected.as_ref());
        self.changed = true;
    }

    /// Writes the file if something changed.
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
