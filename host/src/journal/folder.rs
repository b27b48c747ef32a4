//! The folder of one run and its `run.json`.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use od_protocol::ErrorKind;

use super::envelope::Envelope;
use super::{RunRecord, os, store};
use crate::error::HostError;
use crate::home::OdHome;
use crate::manifest_cache::replace_json;
use crate::usage::LinesFromEnd;

/// How often somebody looks who waits until another one has closed a run.
const LOOK: Duration = Duration::from_millis(5);

/// The folder of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunFolder {
    home: OdHome,
    path: PathBuf,
}

/// What a journal ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LastEvent {
    /// Its number.
    pub(crate) seq: u64,
    /// It is `done`.
    pub(crate) is_done: bool,
}

impl RunFolder {
    /// A folder that may or may not be there.
    pub(crate) fn of(home: &OdHome, run_id: &str) -> Self {
        Self { home: home.clone(), path: home.run(run_id) }
    }

    /// Makes the folder, readable by the user only.
    pub(crate) fn create(home: &OdHome, run_id: &str) -> Result<Self, HostError> {
        let folder = Self::of(home, run_id);
        let failed = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => HostError::protocol(
                ErrorKind::RunIdInUse,
                format!("there is a run {run_id} already"),
            )
            .with_hint("leave the run id out to get a fresh one"),
            _ => HostError::storage(format!("cannot make {}", folder.path.display()), &error),
        };
        os::make_private_folder(&folder.path).map_err(failed)?;
        Ok(folder)
    }

    /// The host's folder, which it is in.
    pub(crate) fn home(&self) -> &OdHome {
        &self.home
    }

    /// The folder itself.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The events.
    pub(crate) fn events(&self) -> PathBuf {
        self.path.join("events.jsonl")
    }

    /// Space that is given back when the disk is full, so that the end of a run fits on it.
    pub(crate) fn reserve(&self) -> PathBuf {
        self.path.join("reserve")
    }

    /// Events that are held back until it is known whether the run goes on.
    pub(crate) fn held(&self) -> PathBuf {
        self.path.join("held.jsonl")
    }

    /// Where the owner listens for other processes.
    pub(crate) fn control(&self) -> PathBuf {
        self.path.join("control.sock")
    }

    /// Opens the events for writing if no living process owns them.
    pub(crate) fn take_over(&self) -> std::io::Result<Option<File>> {
        os::own_existing(&self.events())
    }

    /// Waits until nobody else is closing the run, but not longer than told: `None` then. As long as the file lives,
    /// nobody else begins to. Only for threads that may wait.
    pub(crate) fn lock_for_closing(&self, patience: Duration) -> std::io::Result<Option<File>> {
        let begin = Instant::now();
        loop {
            let lock = os::lock_for_closing(&self.path)?;
            if lock.is_some() || begin.elapsed() >= patience {
                return Ok(lock);
            }
            std::thread::sleep(LOOK);
        }
    }

    /// The last event of the journal, from a look at its end; `None` when there is none that can be read.
    pub(crate) fn last_event(&self) -> std::io::Result<Option<LastEvent>> {
        let mut lines = File::open(self.events()).and_then(LinesFromEnd::open)?;
        let envelope = lines.next()?.and_then(Envelope::read);
        Ok(envelope.map(|it| LastEvent { seq: it.seq, is_done: it.type_name == "done" }))
    }

    /// Reads `run.json`.
    pub(crate) fn read_record(&self) -> Result<RunRecord, HostError> {
        let path = self.record();
        let bytes = std::fs::read(&path).map_err(|error| {
            HostError::storage(format!("cannot read {}", path.display()), &error)
        })?;
        serde_json::from_slice(&bytes).map_err(|error| {
            let error = std::io::Error::other(format!("it is damaged: {error}"));
            HostError::storage(format!("cannot read {}", path.display()), &error).with_hint(
                format!("events.jsonl beside it may be whole; or remove {}", self.path.display()),
            )
        })
    }

    /// Whether there is a run: `run.json` is what its beginning ends with.
    pub(crate) fn has_record(&self) -> bool {
        self.record().is_file()
    }

    /// Replaces `run.json`.
    pub(crate) fn write_record(&self, record: &RunRecord) -> Result<(), HostError> {
        let path = self.record();
        replace_json(&path, record)
            .map_err(|error| HostError::storage(format!("cannot write {}", path.display()), &error))
    }

    /// Removes the run, first under a name that nobody takes for a run: a host that is killed meanwhile leaves no half
    /// of it behind.
    pub(crate) fn remove(&self) -> std::io::Result<()> {
        let hidden = self.home.runs().join(store::removed_name());
        // Where it cannot be renamed, because a file in it is open on Windows, it is removed as it is.
        match std::fs::rename(&self.path, &hidden) {
            Ok(()) => store::remove_hidden(&hidden),
            Err(_) => std::fs::remove_dir_all(&self.path),
        }
    }

    /// Removes a run that has not begun; what cannot be removed is left.
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
        let scratch = tempfile::tempdir().expect("a scratch folder");
        let home = OdHome::at(scratch.path().to_owned()).expect("an absolute path");
        (scratch, RunFolder::create(&home, "r").expect("a run's folder"))
    }

    #[test]
    fn nobody_waits_for_ever_for_another_one_who_closes_a_run() {
        let (_scratch, folder) = scratch();
        let held = folder.lock_for_closing(Duration::ZERO).expect("a folder");
        assert!(held.is_some());
        assert!(folder.lock_for_closing(Duration::ZERO).expect("a folder").is_none());
        drop(held);
        assert!(folder.lock_for_closing(Duration::ZERO).expect("a folder").is_some());
    }

    #[test]
    fn the_last_event_is_that_of_the_last_whole_line() {
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
    fn a_removed_run_leaves_nothing() {
        let (_scratch, folder) = scratch();
        std::fs::write(folder.events(), "").expect("a journal");
        folder.remove().expect("it is there");
        assert_eq!(std::fs::read_dir(folder.home.runs()).expect("a folder").count(), 0);
        let again = folder.remove().expect_err("it is gone");
        assert_eq!(again.kind(), std::io::ErrorKind::NotFound);
    }
}
