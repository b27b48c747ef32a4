//! Idempotency keys: the same key starts one run, among all processes with the same `OD_HOME`. A file
//! (`journal::key_file`) stores which run; this file decides who may read or write it, and which task a key belongs to.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use od_protocol::ErrorKind;
use od_protocol::api::{KEY_CONFLICT, StartRunParams};
use sha2::{Digest, Sha256};
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::{Instant, sleep};

use crate::error::HostError;
use crate::files::stamp::hex;
use crate::home::OdHome;
use crate::journal::key_file::{self, KeyFile};
use crate::sync::lock;

/// The maximum length of a key and of a client name.
const MAX_NAME_BYTES: usize = 200;
/// Unused locks are dropped when there are this many.
const MAX_IDLE_LOCKS: usize = 64;
/// How long to wait for another process with the key: shorter than the limit of a call, so that the client gets the
/// reason.
const CLAIM_TIMEOUT: Duration = Duration::from_secs(20);
/// How often the file of such a key is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// The keys of removed runs are deleted after this many starts.
const CLEANUP_INTERVAL: u32 = 1024;

/// The locks of this process: starts with the same key run one after the other, other keys do not wait.
#[derive(Debug, Default)]
pub(super) struct Keys {
    locks: std::sync::Mutex<HashMap<String, Arc<Mutex<()>>>>,
    starts: AtomicU32,
}

/// The exclusive right, among all processes, to read or set the run of a key.
#[derive(Debug)]
pub(super) struct KeyClaim {
    key: String,
    file: KeyFile,
    #[expect(dead_code, reason = "dropping it admits the next start")]
    own: OwnedMutexGuard<()>,
}

impl Keys {
    /// Waits until no other start has the key.
    ///
    /// # Errors
    /// When the file of the key cannot be used, or another process holds it for too long.
    pub(super) async fn claim(&self, home: &OdHome, key: String) -> Result<KeyClaim, HostError> {
        let own = self.lock_of(&key).lock_owned().await;
        let file = take_file(home, &key).await?;
        if self.starts.fetch_add(1, Ordering::Relaxed) % CLEANUP_INTERVAL == CLEANUP_INTERVAL - 1 {
            let home = home.clone();
            drop(tokio::task::spawn_blocking(move || delete_unused(&home)));
        }
        Ok(KeyClaim { key, file, own })
    }

    fn lock_of(&self, key: &str) -> Arc<Mutex<()>> {
        let mut locks = lock(&self.locks);
        if locks.len() >= MAX_IDLE_LOCKS {
            locks.retain(|_, lock| Arc::strong_count(lock) > 1);
        }
        Arc::clone(locks.entry(key.to_owned()).or_default())
    }
}

impl KeyClaim {
    /// The run that the key started; it may have been removed.
    pub(super) fn run_id(&self) -> Result<Option<String>, HostError> {
        self.file.run_id().map_err(|error| unusable(&self.key, &error))
    }

    /// Assigns the key to a run that is about to start.
    pub(super) fn assign(&self, run_id: &str) -> Result<(), HostError> {
        self.file.assign(run_id).map_err(|error| unusable(&self.key, &error))
    }
}

/// Deletes the keys of removed runs.
pub(super) fn delete_unused(home: &OdHome) {
    match key_file::forget_removed(home) {
        Ok(keys) => tracing::debug!(keys, "deleted the keys of removed runs"),
        Err(error) => tracing::warn!(%error, "cannot delete the keys of removed runs"),
    }
}

async fn take_file(home: &OdHome, key: &str) -> Result<KeyFile, HostError> {
    let due = Instant::now() + CLAIM_TIMEOUT;
    loop {
        match KeyFile::lock(home, key) {
            Ok(Some(file)) => return Ok(file),
            Ok(None) if Instant::now() >= due => return Err(taken(key)),
            Ok(None) => sleep(POLL_INTERVAL).await,
            Err(error) => return Err(unusable(key, &error)),
        }
    }
}

fn taken(key: &str) -> HostError {
    let text = format!(
        "another host on the same OD_HOME has been starting a run with the key {key:?} for {} s",
        CLAIM_TIMEOUT.as_secs()
    );
    HostError::protocol(ErrorKind::Timeout, text)
        .with_hint("repeat the call with the same key; if the other od-host hangs, stop it")
}

fn unusable(key: &str, error: &std::io::Error) -> HostError {
    HostError::storage(format!("cannot use the file of the key {key:?}"), error)
}

/// Refuses a `key` or `client` that is empty or too long.
pub(super) fn check_name(member: &str, name: Option<&String>) -> Result<(), HostError> {
    let Some(name) = name.filter(|name| !(1..=MAX_NAME_BYTES).contains(&name.len())) else {
        return Ok(());
    };
    Err(HostError::usage(format!("invalid {member}: it has {} bytes", name.len()))
        .with_hint(format!("use 1 to {MAX_NAME_BYTES} bytes, for example a UUID")))
}

/// The hash of everything that decides what the run does. The client and the queue limit do not.
pub(super) fn task_hash(params: &StartRunParams) -> Result<String, HostError> {
    let StartRunParams { agent, task, approvals, fallback, retry, .. } = params;
    let bytes = serde_json::to_vec(&(agent, task, approvals, fallback, retry))
        .map_err(|error| HostError::usage(format!("cannot write the task as JSON: {error}")))?;
    Ok(hex(&Sha256::digest(bytes)))
}

/// The key belongs to another task.
pub(super) fn conflict(key: &str, run_id: &str) -> HostError {
    let text = format!(
        "the key {key:?} started run {run_id} with another task, agent, approvals, fallback or retry"
    );
    HostError::protocol(ErrorKind::from_wire(KEY_CONFLICT), text)
        .with_hint("use a new key for a new task, or send the same task again")
}

#[cfg(test)]
mod tests {
    use std::task::Poll::Ready;

    use super::*;
    use crate::sync::block_on;

    #[test]
    fn claimed_key_does_not_block_other_keys() {
        let (_scratch, home) = OdHome::temporary();
        block_on(async {
            let keys = Keys::default();
            let held = keys.claim(&home, "k".to_owned()).await.expect("a claim");
            for number in 0..3 * MAX_IDLE_LOCKS {
                keys.claim(&home, number.to_string()).await.expect("a claim");
            }
            let kept = keys.locks.lock().expect("no panic").len();
            assert!(kept <= MAX_IDLE_LOCKS, "{kept} locks are kept");
            let mut next = std::pin::pin!(keys.claim(&home, "k".to_owned()));
            let waits =
                std::future::poll_fn(|context| Ready(next.as_mut().poll(context).is_pending()));
            assert!(waits.await);
            drop(held);
            next.await.expect("the key is free now");
        });
    }

    #[test]
    fn task_hash_ignores_client_and_queue_limit() {
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
