//! The suite's handle on a fake CLI: installs it, loads its script, reads what it recorded.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::invocation::{self, Invocation};
use super::script::{CALLS_FOLDER, GATES_FOLDER, SCRIPT_FILE, Script};
use crate::process;

/// How often the recorded calls are read while waiting.
const POLL_INTERVAL: Duration = Duration::from_millis(3);

/// A fake CLI in its own folder.
#[derive(Debug, Clone)]
pub struct FakeCli {
    folder: PathBuf,
    executable: PathBuf,
}

impl FakeCli {
    /// Installs the suite's executable under the agent CLI's name in its own folder. It must be a
    /// hard link or a copy: through a symbolic link it could not find the files beside it.
    ///
    /// # Errors
    /// When the folder or a file cannot be made.
    pub fn install(folder: &Path, cli_name: &str, suite: &Path) -> std::io::Result<Self> {
        std::fs::create_dir_all(folder.join(CALLS_FOLDER))?;
        std::fs::create_dir_all(folder.join(GATES_FOLDER))?;
        let executable = folder.join(process::executable_name(cli_name));
        if std::fs::hard_link(suite, &executable).is_err() {
            std::fs::copy(suite, &executable)?;
        }
        let fake_cli = Self { folder: folder.to_owned(), executable };
        fake_cli.load_script(&Script::default())?;
        Ok(fake_cli)
    }

    /// The value of `config.cliPath`.
    pub fn executable(&self) -> &Path {
        &self.executable
    }

    /// Its folder, the first on PATH.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Sets the script of every later start. Running processes keep theirs.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn load_script(&self, script: &Script) -> std::io::Result<()> {
        let file = self.folder.join(SCRIPT_FILE);
        let fresh = file.with_extension("fresh");
        std::fs::write(&fresh, serde_json::to_vec(script)?)?;
        std::fs::rename(fresh, file)
    }

    /// Every start so far, the oldest first, probes included.
    pub fn invocations(&self) -> Vec<Invocation> {
        invocation::read_all(&self.folder.join(CALLS_FOLDER)).unwrap_or_default()
    }

    /// Every start so far, probes excluded.
    pub fn starts(&self) -> Vec<Invocation> {
        self.invocations().into_iter().filter(|invocation| !invocation.is_probe).collect()
    }

    /// Releases a process that waits at a gate.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn open_gate(&self, name: &str) -> std::io::Result<()> {
        std::fs::write(self.folder.join(GATES_FOLDER).join(name), b"")
    }

    /// Waits until the condition holds; returns the last invocations in any case.
    pub fn wait_until(
        &self,
        limit: Duration,
        mut wanted: impl FnMut(&[Invocation]) -> bool,
    ) -> (bool, Vec<Invocation>) {
        let deadline = Instant::now() + limit;
        loop {
            let invocations = self.invocations();
            if wanted(&invocations) {
                return (true, invocations);
            }
            if Instant::now() >= deadline {
                return (false, invocations);
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// The live processes that run this fake CLI, detached ones included.
    pub fn processes(&self) -> Vec<u32> {
        process::running_from(&self.folder)
    }
}
