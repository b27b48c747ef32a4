//! The same key starts a run once: keys live in the records of runs, so they outlive the host; here is their index.

use std::collections::HashMap;

use od_protocol::ErrorKind;
use od_protocol::api::{KEY_CONFLICT, StartRunsParams};
use sha2::{Digest, Sha256};

use crate::error::HostError;
use crate::home::OdHome;
use crate::journal::folder::RunFolder;
use crate::journal::store;

/// The longest name that a client may give to a run or to itself.
const LONGEST_NAME: usize = 200;
/// So many keys are kept without a look at whether their runs are still there.
const FEW: usize = 1024;

/// Which run a key has started. Whoever holds it starts runs, so that two calls with one key cannot both do so.
#[derive(Debug, Default)]
pub(super) struct Keys {
    /// Read from the records when a key is first needed.
    runs: Option<HashMap<String, String>>,
    /// How many of the runs were there when that was last looked at.
    alive: usize,
}

impl Keys {
    /// The run of a key.
    pub(super) fn run_of(&mut self, home: &OdHome, key: &str) -> Result<Option<String>, HostError> {
        Ok(self.load(home)?.get(key).cloned())
    }

    /// Remembers what a key has started. Keys of runs that were removed are forgotten when the index has doubled.
    pub(super) fn remember(&mut self, home: &OdHome, key: String, run_id: String) {
        let Some(runs) = &mut self.runs else { return };
        runs.insert(key, run_id);
        if runs.len() > FEW.max(2 * self.alive) {
            runs.retain(|_, run_id| home.run(run_id).is_dir());
            self.alive = runs.len();
        }
    }

    fn load(&mut self, home: &OdHome) -> Result<&HashMap<String, String>, HostError> {
        let runs = match self.runs.take() {
            Some(runs) => runs,
            None => {
                let runs = read(home)?;
                self.alive = runs.len();
                runs
            }
        };
        Ok(self.runs.insert(runs))
    }
}

/// Refuses a name (`key`, `client`) that is too long to be kept with every run.
pub(super) fn check_name(member: &str, name: Option<&String>) -> Result<(), HostError> {
    let Some(name) = name.filter(|name| !(1..=LONGEST_NAME).contains(&name.len())) else {
        return Ok(());
    };
    Err(HostError::usage(format!("a {member} of {} bytes cannot be used", name.len()))
        .with_hint(format!("use 1 to {LONGEST_NAME} bytes, such as a UUID")))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_runs_that_are_gone_are_forgotten() {
        let scratch = tempfile::tempdir().expect("a scratch folder");
        let home = OdHome::at(scratch.path().to_owned()).expect("an absolute path");
        std::fs::create_dir_all(home.run("kept")).expect("a run");
        let mut keys = Keys::default();
        assert_eq!(keys.run_of(&home, "k").expect("an index"), None);
        keys.remember(&home, "k".to_owned(), "kept".to_owned());
        for number in 0..3 * FEW {
            keys.remember(&home, number.to_string(), "gone".to_owned());
        }
        assert!(keys.runs.as_ref().is_some_and(|runs| runs.len() <= FEW));
        assert_eq!(keys.run_of(&home, "k").expect("an index").as_deref(), Some("kept"));
    }

    #[test]
    fn what_the_run_does_decides_the_hash_and_nothing_else() {
        let hash = |change: fn(&mut StartRunsParams)| {
            let mut params = StartRunsParams::default();
            change(&mut params);
            task_hash(&params).expect("a hash")
        };
        let plain = hash(|_| {});
        assert_eq!(plain.len(), 64);
        assert_eq!(plain, hash(|params| params.client = Some("ann".to_owned())));
        assert_eq!(plain, hash(|params| params.queue_ms = Some(5)));
        assert_ne!(plain, hash(|params| params.agent = Some("x".to_owned())));
        assert_ne!(plain, hash(|params| params.task.prompt.text = "go".to_owned()));
        assert_ne!(plain, hash(|params| params.approvals = true));
        assert_ne!(plain, hash(|params| params.retry = Some(Default::default())));
    }
}
