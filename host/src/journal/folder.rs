//! The folder of one run and its `run.json`.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::{RunRecord, os};
use crate::error::HostError;
use crate::home::OdHome;
use crate::manifest_cache::replace_json;
use od_protocol::ErrorKind;

/// The folder of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunFolder {
    home: OdHome,
    path: PathBuf,
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

    /// Waits until nobody else is closing the run; as long as the file lives, nobody else begins to.
    pub(crate) fn lock_for_closing(&self) -> std::io::Result<File> {
        os::lock_for_closing(&self.path)
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

    /// Removes the run.
    pub(crate) fn remove(&self) {
        if let Err(error) = std::fs::remove_dir_all(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "cannot remove a run");
        }
    }

    fn record(&self) -> PathBuf {
        self.path.join("run.json")
    }
}
