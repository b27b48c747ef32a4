//! Opening a judgement: the folder it works in, the plugin, and the words for what goes wrong.

use std::path::{Path, PathBuf};

use super::{CommandError, EXIT_NO_PLUGIN, EXIT_USAGE};
use crate::case::Tier;
use crate::open::{OpenError, OpenOptions, open, own_executable};
use crate::plugin::PluginPath;
use crate::process;
use crate::suite::Suite;

/// What is judged, as it was typed.
pub(super) struct Subject<'a> {
    /// The od-adapter-* executable.
    pub(super) plugin: &'a Path,
    /// Arguments in front of `--stdio`.
    pub(super) arguments: &'a [String],
    /// Its pack; `None` means: look for it.
    pub(super) pack: Option<&'a Path>,
    /// Repeats earlier random values.
    pub(super) seed: Option<u64>,
    /// How much time to take.
    pub(super) tier: Tier,
    /// Stretches every limit of time.
    pub(super) patience: f64,
}

/// Opens a judgement.
pub(super) fn opened(subject: &Subject<'_>, work: &Work) -> Result<Suite, CommandError> {
    let executable = own_executable(work.path()).map_err(|error| open_failed(error.into()))?;
    let options = OpenOptions {
        plugin: PluginPath {
            executable: subject.plugin.to_owned(),
            arguments: subject.arguments.to_vec(),
        },
        pack: subject.pack.map(Path::to_owned),
        seed: subject.seed.unwrap_or_else(rand::random),
        tier: subject.tier,
        patience: subject.patience.max(0.1),
        work: work.path().to_owned(),
        executable,
    };
    open(options).map_err(open_failed)
}

/// The words for a judgement that could not be opened.
pub(super) fn open_failed(error: OpenError) -> CommandError {
    match error {
        OpenError::Plugin(message) => CommandError {
            code: EXIT_NO_PLUGIN,
            message,
            hint: "give the path of an executable called od-adapter-…".to_owned(),
        },
        OpenError::Pack(error) => CommandError {
            code: EXIT_USAGE,
            message: error.to_string(),
            hint: "the format is described in conformance/README.md".to_owned(),
        },
        OpenError::Suite(error) => CommandError::suite(error.to_string()),
    }
}

/// The folder for everything that is written; it goes away unless it is of use.
pub(super) struct Work {
    path: PathBuf,
    temporary: Option<tempfile::TempDir>,
}

impl Drop for Work {
    /// Nothing that a plugin started outlives its judgement, however it left its family.
    fn drop(&mut self) {
        process::left_below(&self.path).into_iter().for_each(process::kill);
    }
}

impl Work {
    /// Makes it, where it was asked for or in a place of its own.
    pub(super) fn make(keep: Option<&Path>) -> Result<Self, CommandError> {
        let failed =
            |error: std::io::Error| CommandError::suite(format!("no folder to work in: {error}"));
        let Some(folder) = keep else {
            let temporary =
                tempfile::Builder::new().prefix("conformance-").tempdir().map_err(failed)?;
            return Ok(Self { path: temporary.path().to_owned(), temporary: Some(temporary) });
        };
        std::fs::create_dir_all(folder).map_err(failed)?;
        let path = std::path::absolute(folder).map_err(failed)?;
        if std::fs::read_dir(&path).map_err(failed)?.next().is_some() {
            let message = format!("{} is not empty", path.display());
            return Err(CommandError::usage(message, "give --keep a new folder"));
        }
        Ok(Self { path, temporary: None })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Leaves the folder where it is: the failures point into it. Gives it when nobody chose it.
    pub(super) fn keep(&mut self) -> Option<PathBuf> {
        self.temporary.take().map(tempfile::TempDir::keep)
    }
}
