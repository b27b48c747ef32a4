//! The host's folder: `OD_HOME`, or `~/.open-design`. Paths only: other modules read and write the files.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::open_private_file;
#[cfg(unix)]
pub(crate) use unix::{make_private_folder, mode_for_others};
#[cfg(windows)]
pub use windows::open_private_file;
#[cfg(windows)]
pub(crate) use windows::{make_private_folder, mode_for_others};

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use crate::error::HostError;

/// The host's folder and the paths in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OdHome {
    root: PathBuf,
}

impl OdHome {
    /// `OD_HOME` when it is set, `~/.open-design` otherwise.
    ///
    /// # Errors
    /// When `OD_HOME` is not an absolute path, or the user has no home folder.
    pub fn resolve() -> Result<Self, HostError> {
        if let Some(root) = std::env::var_os("OD_HOME").filter(|root| !root.is_empty()) {
            return Self::at(PathBuf::from(root));
        }
        let strategy = etcetera::choose_base_strategy().map_err(|error| {
            HostError::usage(format!("cannot find the home folder: {error}"))
                .with_hint("set OD_HOME to an absolute path")
        })?;
        Self::at(strategy.home_dir().join(".open-design"))
    }

    /// A folder given by its path.
    ///
    /// # Errors
    /// When the path is not absolute: the host's folder must not depend on the current folder.
    pub fn at(root: PathBuf) -> Result<Self, HostError> {
        if !root.is_absolute() {
            return Err(HostError::usage(format!("OD_HOME is not absolute: {}", root.display()))
                .with_hint("set OD_HOME to an absolute path"));
        }
        Ok(Self { root })
    }

    /// A home in a new temporary folder, which exists as long as the first value.
    #[cfg(test)]
    pub(crate) fn temporary() -> (tempfile::TempDir, Self) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path().to_owned();
        (folder, Self { root })
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// One folder per run.
    pub fn runs(&self) -> PathBuf {
        self.root.join("runs")
    }

    /// The folder of one run.
    pub fn run(&self, run_id: &str) -> PathBuf {
        self.runs().join(run_id)
    }

    /// The idempotency keys of clients: one file per key, with the run it started.
    pub fn keys(&self) -> PathBuf {
        self.root.join("keys")
    }

    /// The usage ledger: one file per month, kept when runs are removed.
    pub fn usage(&self) -> PathBuf {
        self.root.join("usage")
    }

    /// Caches, which are safe to delete at any time.
    pub fn cache(&self) -> PathBuf {
        self.root.join("cache")
    }

    /// The cached manifest of each adapter.
    pub fn manifest_cache(&self) -> PathBuf {
        self.cache().join("manifests.json")
    }

    /// The result of the last detection.
    pub fn agents_file(&self) -> PathBuf {
        self.root.join("agents.json")
    }

    /// The active agent.
    pub fn active_file(&self) -> PathBuf {
        self.root.join("active.json")
    }

    /// Adapters that were pinned by a client of the API.
    pub fn trust_file(&self) -> PathBuf {
        self.root.join("trust.json")
    }

    /// The cached PATH of the login shell.
    pub fn login_path_file(&self) -> PathBuf {
        self.cache().join("login-path.json")
    }

    /// Adapters of this user.
    pub fn adapters(&self) -> PathBuf {
        self.root.join("adapters")
    }

    /// A folder for one adapter's own caches (`initialize.config.stateDir`).
    pub fn adapter_state(&self, adapter_id: &str) -> PathBuf {
        self.root.join("state").join(adapter_id)
    }

    /// The token that clients of `od-host serve` must send.
    pub fn token_file(&self) -> PathBuf {
        self.root.join("token")
    }

    /// The settings.
    pub fn settings_file(&self) -> PathBuf {
        self.root.join("settings.toml")
    }
}
