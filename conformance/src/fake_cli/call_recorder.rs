//! Records what the fake CLI receives: one file per start, one line per entry.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use super::invocation::Entry;
use super::script::CALLS_FOLDER;

/// Writes the records of one start; clones write to the same files.
#[derive(Debug, Clone)]
pub(super) struct CallRecorder {
    entries: Arc<Mutex<File>>,
    stdin: Arc<Mutex<File>>,
    stdin_path: PathBuf,
}

impl CallRecorder {
    /// Creates the files of this start.
    pub(super) fn open(folder: &Path) -> std::io::Result<Self> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let name = format!("{:020}-{}", since.as_nanos(), std::process::id());
        let base = folder.join(CALLS_FOLDER).join(name);
        let stdin_path = base.with_extension("stdin");
        Ok(Self {
            stdin: Arc::new(Mutex::new(File::create(&stdin_path)?)),
            entries: Arc::new(Mutex::new(File::create(base.with_extension("jsonl"))?)),
            stdin_path,
        })
    }

    /// Records arguments, environment and folder of this process.
    pub(super) fn record_start(&self, arguments: &[String]) -> std::io::Result<()> {
        let env = std::env::vars_os()
            .map(|(name, value)| {
                (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned())
            })
            .collect();
        let cwd = std::env::current_dir().unwrap_or_default().to_string_lossy().into_owned();
        self.record(&Entry::Started { pid: std::process::id(), args: arguments.to_vec(), env, cwd })
    }

    /// Writes one entry in a single write, so that a reader never sees half of it.
    pub(super) fn record(&self, entry: &Entry) -> std::io::Result<()> {
        let line = serde_json::to_string(entry)? + "\n";
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes())
    }

    pub(super) fn record_stdin(&self, bytes: &[u8]) -> std::io::Result<()> {
        self.stdin.lock().unwrap_or_else(PoisonError::into_inner).write_all(bytes)
    }

    /// The whole stdin so far.
    pub(super) fn read_stdin(&self) -> Vec<u8> {
        std::fs::read(&self.stdin_path).unwrap_or_default()
    }
}
