//! The folder of one run and its `run.json`.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use od_protocol::ErrorKind;

use super::envelope::Envelope;
use super::{RunRecord, os, store};
use crate::error::HostError;
use crate::files::{LinesFromEnd, replace_json};
use crate::home::OdHome;

/// How often a waiting process tries to lock a run for closing.
const LOCK_RETRY_INTERVAL: Duration = Duration::from_millis(5);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunFolder {
    home: OdHome,
    path: PathBuf,
}

/// The last event of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LastEvent {
    pub(crate) seq: u64,
    pub(crate) is_done: bool,
}

impl RunFolder {
    /// The folder of a run, which may not exist.
    pub(crate) fn of(home: &OdHome, run_id: &str) -> Self {
        Self { home: home.clone(), path: home.run(run_id) }
    }

    /// Creates the folder, readable by the user only.
    pub(crate) fn create(home: &OdHome, run_id: &str) -> Result<Self, HostError> {
        let folder = Self::of(home, run_id);
        let failed = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => {
                HostError::protocol(ErrorKind::RunIdInUse, format!("run {run_id} already exists"))
                    .with_hint("omit the run id to get a new one")
            }
            _ => HostError::file("create", &folder.path, &error),
        };
        os::make_private_folder(&folder.path).map_err(failed)?;
        Ok(folder)
    }

    /// The host's folder that contains it.
    pub(crate) fn home(&self) -> &OdHome {
        &self.home
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn events(&self) -> PathBuf {
        self.path.join("events.jsonl")
    }

    /// A file that is removed when the disk is full, so that the end of the run can be written.
    pub(crate) fn reserve(&self) -> PathBuf {
        self.path.join("reserve")
    }

    /// Buffered events, until it is known whether another attempt follows.
    pub(crate) fn buffer_file(&self) -> PathBuf {
        self.path.join("held.jsonl")
    }

    /// The control socket of the owner.
    pub(crate) fn control(&self) -> PathBuf {
        self.path.join("control.sock")
    }

    /// Opens the events for writing if no live process owns them.
    pub(crate) fn take_over(&self) -> std::io::Result<Option<File>> {
        os::lock_existing(&self.events())
    }

    /// Locks the run for closing; `None` when another process still has the lock after `timeout`. Dropping the file
    /// releases the lock. Blocks.
    pub(crate) fn lock_for_closing(&self, timeout: Duration) -> std::io::Result<Option<File>> {
        let started = Instant::now();
        loop {
            let lock = os::lock_for_closing(&self.path)?;
            if lock.is_some() || started.elapsed() >= timeout {
                return Ok(lock);
            }
            std::thread::sleep(LOCK_RETRY_INTERVAL);
        }
    }

    /// Reads the last event from the end of the journal; `None` when there is no valid one.
    pub(crate) fn last_event(&self) -> std::io::Result<Option<LastEvent>> {
        let mut lines = File::open(self.events()).and_then(LinesFromEnd::open)?;
        let envelope = lines.next()?.and_then(Envelope::read);
        Ok(envelope.map(|it| LastEvent { seq: it.seq, is_done: it.type_name == "done" }))
    }

    /// Reads `run.json`.
    pub(crate) fn read_record(&self) -> Result<RunRecord, HostError> {
        let path = self.record();
        let bytes = std::fs::read(&path).map_err(|error| HostError::file("read", &path, &error))?;
        serde_json::from_slice(&bytes).map_err(|error| {
            let error = std::io::Error::other(format!("it is damaged: {error}"));
            HostError::file("read", &path, &error).with_hint(format!(
                "events.jsonl beside it may be intact; otherwise remove {}",
                self.path.display()
            ))
        })
    }

    /// Whether the run exists: `run.json` is the last file that its creation writes.
    pub(crate) fn has_record(&self) -> bool {
        self.record().is_file()
    }

    /// Replaces `run.json`.
    pub(crate) fn write_record(&self, record: &RunRecord) -> Result<(), HostError> {
        let path = self.record();
        replace_json(&path, record).map_err(|error| HostError::file("write", &path, &error))
    }

    /// Removes the run. It is renamed first, so that a host that is killed during the removal leaves no incomplete run.
    pub(crate) fn remove(&self) -> std::io::Result<()> {
        let hidden = self.home.runs().join(store::removed_name());
        // On Windows a folder with an open file cannot be renamed.
        match std::fs::rename(&self.path, &hidden) {
            Ok(()) => store::remove_hidden(&hidden),
            Err(_) => std::fs::remove_dir_all(&self.path),
        }
    }

    /// Removes a run that has not started; logs a failure.
    pub(crate) fn discard(&self) {
        if let Err(error) = self.remove() {
            tracing::warn!(path = %self.path.display(), %error, "cannot remove a run");
        }
    }

    fn record(&self) -> PathBuf {
        self.path.join("run.json")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch() -> (tempfile::TempDir, RunFolder) {
        let (scratch, home) = OdHome::temporary();
        (scratch, RunFolder::create(&home, "r").expect("a run's folder"))
    }

    #[test]
    fn closing_lock_is_exclusive() {
        let (_scratch, folder) = scratch();
        let held = folder.lock_for_closing(Duration::ZERO).expect("a folder");
        assert!(held.is_some());
        assert!(folder.lock_for_closing(Duration::ZERO).expect("a folder").is_none());
        drop(held);
        assert!(folder.lock_for_closing(Duration::ZERO).expect("a folder").is_some());
    }

    #[test]
    fn last_event_ignores_incomplete_line() {
        let (_scratch, folder) = scratch();
        let line = |seq, name| {
            format!(
                "{{\"runId\":\"r\",\"seq\":{seq},\"ts\":0,\"event\":{{\"type\":\"{name}\"}}}}\n"
            )
        };
        let (heartbeat, done) = (line(6, "heartbeat"), line(7, "done"));
        for (journal, expected) in [
            (String::new(), None),
            (format!("{heartbeat}{done}"), Some(LastEvent { seq: 7, is_done: true })),
            (format!("{heartbeat}{}", &done[..20]), Some(LastEvent { seq: 6, is_done: false })),
        ] {
            std::fs::write(folder.events(), &journal).expect("a journal");
            assert_eq!(folder.last_event().expect("a journal"), expected, "{journal}");
        }
    }

    #[test]
    fn removed_run_leaves_nothing() {
        let (_scratch, folder) = scratch();
        std::fs::write(folder.events(), "").expect("a journal");
        folder.remove().expect("it exists");
        assert_eq!(std::fs::read_dir(folder.home.runs()).expect("a folder").count(), 0);
        let again = folder.remove().expect_err("it is gone");
        assert_eq!(again.kind(), std::io::ErrorKind::NotFound);
    }
}
