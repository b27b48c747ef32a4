//! The same key starts a run once: keys live in the records of runs, so they outlive the host; here is their index.

use std::collections::HashMap;

use od_protocol::ErrorKind;
use od_protocol::api::{KEY_CONFLICT, StartRunsParams};
use sha2::{Digest, Sha256};

use crate::error::HostError;
use crate::home::OdHome;
use crate::journal::folder::RunFolder;
use crate::journal::store;

const LONGEST_KEY: usize = 200;

/// Which run a key has started. Whoever holds it starts runs, so that two calls with one key cannot both do so.
#[derive(Debug, Default)]
pub(super) struct Keys {
    /// Read from the records when a key is first needed.
    runs: Option<HashMap<String, String>>,
}

impl Keys {
    /// The run of a key.
    pub(super) fn run_of(&mut self, home: &OdHome, key: &str) -> Result<Option<String>, HostError> {
        Ok(self.load(home)?.get(key).cloned())
    }

    /// Remembers what a key has started.
    pub(super) fn remember(&mut self, key: String, run_id: String) {
        if let Some(runs) = &mut self.runs {
            runs.insert(key, run_id);
        }
    }

    fn load(&mut self, home: &OdHome) -> Result<&HashMap<String, String>, HostError> {
        let runs = match self.runs.take() {
            Some(runs) => runs,
            None => read(home)?,
        };
        Ok(self.runs.insert(runs))
    }
}

/// Refuses what cannot be a key.
pub(super) fn check(key: &str) -> Result<(), HostError> {
    if (1..=LONGEST_KEY).contains(&key.len()) {
        return Ok(());
    }
    Err(HostError::usage(format!("a key of {} bytes cannot be used", key.len()))
        .with_hint(format!("use 1 to {LONGEST_KEY} bytes, such as a UUID")))
}

/// What a key stands for: everything that decides what the run does. Who asks and how long it may wait do not.
pub(super) fn task_hash(params: &StartRunsParams) -> Result<String, HostError> {
    let StartRunsParams { agent, task, approvals, fallback, retry, .. } = params;
    let bytes = serde_json::to_vec(&(agent, task, approvals, fallback, retry))
        .map_err(|error| HostError::usage(format!("the task has no JSON form: {error}")))?;
    Ok(Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The key was used for something else.
pub(super) fn conflict(key: &str, run_id: &str) -> HostError {
    let text = format!("the key {key:?} has started run {run_id} with another task");
    HostError::protocol(ErrorKind::from_wire(KEY_CONFLICT), text)
        .with_hint("use a fresh key for a new task, or send the same task again")
}

/// All keys on disk. Of two runs with one key, which only two hosts can make, the older counts.
fn read(home: &OdHome) -> Result<HashMap<String, String>, HostError> {
    let records =
        store::ids(home)?.into_iter().filter_map(|id| RunFolder::of(home, &id).read_record().ok());
    Ok(records.filter_map(|record| Some((record.key?, record.run_id))).collect())
}
