//! Opens a suite: the work folder, the adapter, and the errors of both.

use std::path::{Path, PathBuf};

use super::{CommandError, EXIT_NO_PLUGIN, EXIT_USAGE};
use crate::adapter_client::AdapterPath;
use crate::check::Tier;
use crate::process;
use crate::suite::{Suite, SuiteError, SuiteOptions, copy_own_executable, open};

/// The adapter under test, from the arguments.
pub(super) struct Subject<'a> {
    /// The od-adapter-* executable.
    pub(super) plugin: &'a Path,
    /// Arguments before `--stdio`.
    pub(super) arguments: &'a [String],
    /// Its pack; `None` searches for it.
    pub(super) pack: Option<&'a Path>,
    /// The seed of an earlier run.
    pub(super) seed: Option<u64>,
    /// The tier.
    pub(super) tier: Tier,
    /// Multiplies every time limit.
    pub(super) patience: f64,
}

/// Opens a suite.
pub(super) fn open_suite(subject: &Subject<'_>, work: &WorkFolder) -> Result<Suite, CommandError> {
    let executable = copy_own_executable(work.path()).map_err(|error| setup_error(error.into()))?;
    let options = SuiteOptions {
        adapter: AdapterPath {
            executable: subject.plugin.to_owned(),
            arguments: subject.arguments.to_vec(),
        },
        pack: subject.pack.map(Path::to_owned),
        seed: subject.seed.unwrap_or_else(rand::random),
        tier: subject.tier,
        time_factor: subject.patience.max(0.1),
        work: work.path().to_owned(),
        executable,
    };
    open(options).map_err(setup_error)
}

/// Converts a setup error to a command error.
pub(super) fn setup_error(error: SuiteError) -> CommandError {
    match error {
        SuiteError::Adapter(message) => CommandError {
            code: EXIT_NO_PLUGIN,
            message,
            hint: "pass the path of an executable called od-adapter-…".to_owned(),
        },
        SuiteError::Pack(error) => CommandError {
            code: EXIT_USAGE,
            message: error.to_string(),
            hint: "conformance/README.md describes the format".to_owned(),
        },
        SuiteError::Suite(error) => CommandError::suite(error.to_string()),
    }
}

/// The folder for transcripts and scratch files; removed unless it is kept.
pub(super) struct WorkFolder {
    path: PathBuf,
    temporary: Option<tempfile::TempDir>,
}

impl Drop for WorkFolder {
    /// No process of an adapter outlives the run, even if it left its session and parent.
    fn drop(&mut self) {
        process::left_below(&self.path).into_iter().for_each(process::kill);
    }
}

impl WorkFolder {
    /// Creates it at the requested place, or as a temporary folder.
    pub(super) fn make(keep: Option<&Path>) -> Result<Self, CommandError> {
        let failed = |error: std::io::Error| {
            CommandError::suite(format!("could not create a work folder: {error}"))
        };
        let Some(folder) = keep else {
            let temporary =
                tempfile::Builder::new().prefix("conformance-").tempdir().map_err(failed)?;
            return Ok(Self { path: temporary.path().to_owned(), temporary: Some(temporary) });
        };
        std::fs::create_dir_all(folder).map_err(failed)?;
        let path = std::path::absolute(folder).map_err(failed)?;
        if std::fs::read_dir(&path).map_err(failed)?.next().is_some() {
            let message = format!("{} is not empty", path.display());
            return Err(CommandError::usage(message, "pass --keep a new folder"));
        }
        Ok(Self { path, temporary: None })
    }

    /// Its path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps a temporary folder, because failures point into it, and returns its path.
    pub(super) fn keep(&mut self) -> Option<PathBuf> {
        self.temporary.take().map(tempfile::TempDir::keep)
    }
}
