//! The suite's handle on a stand-in: put it there, tell it what to play, read what it saw.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::script::{GATES_FOLDER, SCRIPT_FILE, SEEN_FOLDER, Script};
use super::seen::{self, Invocation};
use crate::process;

/// How often a file is looked at while something is waited for.
const POLL: Duration = Duration::from_millis(3);

/// A stand-in in its own folder.
#[derive(Debug, Clone)]
pub struct StandIn {
    folder: PathBuf,
    executable: PathBuf,
}

impl StandIn {
    /// Puts the suite's executable under the agent CLI's name into a folder of its own. It must be
    /// a hard link or a copy: through a symbolic link it could not find the files beside itself.
    ///
    /// # Errors
    /// When the folder or a file cannot be made.
    pub fn place(folder: &Path, cli_name: &str, suite: &Path) -> std::io::Result<Self> {
        std::fs::create_dir_all(folder.join(SEEN_FOLDER))?;
        std::fs::create_dir_all(folder.join(GATES_FOLDER))?;
        let executable = folder.join(process::executable_name(cli_name));
        if std::fs::hard_link(suite, &executable).is_err() {
            std::fs::copy(suite, &executable)?;
        }
        let stand_in = Self { folder: folder.to_owned(), executable };
        stand_in.play(&Script::default())?;
        Ok(stand_in)
    }

    /// What `config.cliPath` is set to.
    pub fn executable(&self) -> &Path {
        &self.executable
    }

    /// The folder it lies in; first on PATH.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Sets what every later start does. Starts that are under way are not changed.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn play(&self, script: &Script) -> std::io::Result<()> {
        let file = self.folder.join(SCRIPT_FILE);
        let fresh = file.with_extension("fresh");
        std::fs::write(&fresh, serde_json::to_vec(script)?)?;
        std::fs::rename(fresh, file)
    }

    /// Every start so far, the oldest first, probes included.
    pub fn invocations(&self) -> Vec<Invocation> {
        seen::read_all(&self.folder.join(SEEN_FOLDER)).unwrap_or_default()
    }

    /// Every start so far that was no probe.
    pub fn starts(&self) -> Vec<Invocation> {
        self.invocations().into_iter().filter(|invocation| !invocation.is_probe).collect()
    }

    /// Lets a start that waits at a gate go on.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn open_gate(&self, name: &str) -> std::io::Result<()> {
        std::fs::write(self.folder.join(GATES_FOLDER).join(name), b"")
    }

    /// Waits until the starts look as wanted; gives the last look in any case.
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
            std::thread::sleep(POLL);
        }
    }

    /// The live processes that run this stand-in, detached ones included.
    pub fn processes(&self) -> Vec<u32> {
        process::running_from(&self.folder)
    }
}
