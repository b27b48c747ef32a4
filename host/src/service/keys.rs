//! The same key starts a run once, in this process and among all on one `OD_HOME`. Which run it was lives in a file
//! (`journal::key_file`), so it outlives the host; here is who may look at it when, and what a key stands for.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use od_protocol::ErrorKind;
use od_protocol::api::{KEY_CONFLICT, StartRunParams};
use sha2::{Digest, Sha256};
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::{Instant, sleep};

use crate::error::HostError;
use crate::home::OdHome;
use crate::journal::key_file::{self, KeyFile};

/// The longest name that a client may give to a run or to itself.
const LONGEST_NAME: usize = 200;
/// So many turns are kept without a look at whether somebody has or awaits them.
const FEW: usize = 64;
/// How long a key may be in the hands of another process: less than a call may take, so that its client hears why.
const LONGEST_WAIT: Duration = Duration::from_secs(20);
/// How often such a key is looked at.
const PAUSE: Duration = Duration::from_millis(20);
/// After so many starts the keys of runs that are gone are forgotten.
const SWEEP_EVERY: u32 = 1024;

/// The turns of this process: starts with one key follow each other, those with other keys do not wait for them.
#[derive(Debug, Default)]
pub(super) struct Keys {
    turns: std::sync::Mutex<HashMap<String, Arc<Mutex<()>>>>,
    starts: AtomicU32,
}

/// The only right, here and in other processes, to start a run for a key or to say which one it has started.
#[derive(Debug)]
pub(super) struct Turn {
    key: String,
    file: KeyFile,
    #[expect(dead_code, reason = "dropping it lets the next one in")]
    own: OwnedMutexGuard<()>,
}

impl Keys {
    /// Waits until nobody else has the key.
    ///
    /// # Errors
    /// When its file cannot be used, or another process has it for too long.
    pub(super) async fn turn(&self, home: &OdHome, key: String) -> Result<Turn, HostError> {
        let own = self.place(&key).lock_owned().await;
        let file = take_file(home, &key).await?;
        if self.starts.fetch_add(1, Ordering::Relaxed) % SWEEP_EVERY == SWEEP_EVERY - 1 {
            let home = home.clone();
            drop(tokio::task::spawn_blocking(move || forget_removed(&home)));
        }
        Ok(Turn { key, file, own })
    }

    fn place(&self, key: &str) -> Arc<Mutex<()>> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        if turns.len() >= FEW {
            turns.retain(|_, turn| Arc::strong_count(turn) > 1);
        }
        Arc::clone(turns.entry(key.to_owned()).or_default())
    }
}

impl Turn {
    /// The run that the key has started; it may be gone.
    pub(super) fn run_id(&self) -> Result<Option<String>, HostError> {
        self.file.run_id().map_err(|error| unusable(&self.key, &error))
    }

    /// Gives the key to a run that is about to begin.
    pub(super) fn assign(&self, run_id: &str) -> Result<(), HostError> {
        self.file.assign(run_id).map_err(|error| unusable(&self.key, &error))
    }
}

/// Forgets the keys of runs that are gone.
pub(super) fn forget_removed(home: &OdHome) {
    match key_file::forget_removed(home) {
        Ok(keys) => tracing::debug!(keys, "keys of runs that are gone were forgotten"),
        Err(error) => tracing::warn!(%error, "keys of runs that are gone are still there"),
    }
}

async fn take_file(home: &OdHome, key: &str) -> Result<KeyFile, HostError> {
    let due = Instant::now() + LONGEST_WAIT;
    loop {
        match KeyFile::lock(home, key) {
            Ok(Some(file)) => return Ok(file),
            Ok(None) if Instant::now() >= due => return Err(taken(key)),
            Ok(None) => sleep(PAUSE).await,
            Err(error) => return Err(unusable(key, &error)),
        }
    }
}

fn taken(key: &str) -> HostError {
    let text = format!(
        "another host on the same OD_HOME has been starting a run with the key {key:?} for {} s",
        LONGEST_WAIT.as_secs()
    );
    HostError::protocol(ErrorKind::Timeout, text)
        .with_hint("ask again with the same key; should it hang, end the other od-host")
}

fn unusable(key: &str, error: &std::io::Error) -> HostError {
    HostError::storage(format!("cannot use the file of the key {key:?}"), error)
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
pub(super) fn task_hash(params: &StartRunParams) -> Result<String, HostError> {
    let StartRunParams { agent, task, approvals, fallback, retry, .. } = params;
    let bytes = serde_json::to_vec(&(agent, task, approvals, fallback, retry))
        .map_err(|error| HostError::usage(format!("the task has no JSON form: {error}")))?;
    Ok(key_file::hex(&Sha256::digest(bytes)))
}

/// The key was used for something else.
pub(super) fn conflict(key: &str, run_id: &str) -> HostError {
    let text = format!(
        "the key {key:?} has started run {run_id} with another task, agent, approvals, fallback or retry"
    );
    HostError::protocol(ErrorKind::from_wire(KEY_CONFLICT), text)
        .with_hint("use a fresh key for a new task, or send the same task again")
}

#[cfg(test)]
mod tests {
    use std::task::Poll::Ready;

    use super::*;

    #[test]
    fn a_key_that_is_held_keeps_nobody_waiting_for_another() {
        let scratch = tempfile::tempdir().expect("a scratch folder");
        let home = OdHome::at(scratch.path().to_owned()).expect("an absolute path");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let keys = Keys::default();
            let held = keys.turn(&home, "k".to_owned()).await.expect("a turn");
            for number in 0..3 * FEW {
                keys.turn(&home, number.to_string()).await.expect("a turn");
            }
            let kept = keys.turns.lock().expect("no panic").len();
            assert!(kept <= FEW, "{kept} turns are kept");
            let mut next = std::pin::pin!(keys.turn(&home, "k".to_owned()));
            let waits =
                std::future::poll_fn(|context| Ready(next.as_mut().poll(context).is_pending()));
            assert!(waits.await);
            drop(held);
            next.await.expect("its turn has come");
        });
    }

    #[test]
    fn what_the_run_does_decides_the_hash_and_nothing_else() {
        let hash = |change: fn(&mut StartRunParams)| {
            let mut params = StartRunParams::default();
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
