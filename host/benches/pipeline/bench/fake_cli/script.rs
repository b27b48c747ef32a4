//! The script of the fake CLI, and the folder with the script and its results.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The content of the pieces of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Text {
    /// Plain ASCII.
    Plain,
    /// Quotes, line ends and letters beyond ASCII.
    Escaped,
    /// The time at which the piece was written.
    Clock,
}

/// The fields around a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Frame {
    /// Only the necessary fields.
    Short,
    /// With the ids that the real CLI adds to every line.
    Recorded,
}

/// How the lines reach the pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Writes {
    /// One system call per line.
    Each,
    /// As much as a pipe holds.
    Big,
}

/// What happens after the last piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Manner {
    /// It writes its result and exits.
    Finishes,
    /// It waits for an interrupt, then writes its result and exits.
    Polite,
    /// It ignores interrupts and signals, as does its child in its own session.
    Stubborn,
}

/// The actions of the fake CLI.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Script {
    /// Pieces of text.
    pub(crate) events: u64,
    /// Length of a line, about.
    pub(crate) line_bytes: usize,
    pub(crate) text: Text,
    pub(crate) frame: Frame,
    pub(crate) writes: Writes,
    /// Between two lines.
    pub(crate) pause: Duration,
    pub(crate) manner: Manner,
}

impl Script {
    /// Short plain lines in big writes, without a pause.
    pub(crate) fn burst(events: u64) -> Self {
        Self {
            events,
            line_bytes: 120,
            text: Text::Plain,
            frame: Frame::Short,
            writes: Writes::Big,
            pause: Duration::ZERO,
            manner: Manner::Finishes,
        }
    }

    /// A few lines, then silence.
    pub(crate) fn silent(manner: Manner) -> Self {
        Self { manner, ..Self::burst(10) }
    }
}

/// The folder of the fake CLI.
#[derive(Debug, Clone)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Puts the executable there under the CLI's name, beside what the adapter reads the version
    /// from. A hard link: through a symbolic one a process does not find its folder.
    pub(crate) fn create(path: PathBuf, executable: &Path) -> io::Result<Self> {
        fs::create_dir_all(&path)?;
        let folder = Self(path);
        let program = folder.program();
        fs::hard_link(executable, &program).or_else(|_| fs::copy(executable, program).map(drop))?;
        let package = serde_json::json!({
            "name": "@anthropic-ai/claude-code",
            "version": "2.1.197",
            "bin": {"claude": "claude"},
        });
        fs::write(folder.0.join("package.json"), package.to_string())?;
        Ok(folder)
    }

    /// The folder of the running fake CLI.
    pub(crate) fn of_this_process() -> io::Result<Self> {
        let program = std::env::current_exe()?;
        let folder = program.parent().ok_or(io::ErrorKind::NotFound)?;
        Ok(Self(folder.to_owned()))
    }

    /// The agent CLI.
    pub(crate) fn program(&self) -> PathBuf {
        self.0.join("claude")
    }

    /// Writes the script of the next run, and removes the results of the last.
    pub(crate) fn write_script(&self, script: &Script) -> io::Result<()> {
        for trace in [self.pids_file(), self.time_file()] {
            match fs::remove_file(trace) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        fs::write(self.script_file(), serde_json::to_vec(script)?)
    }

    pub(crate) fn read_script(&self) -> io::Result<Script> {
        Ok(serde_json::from_slice(&fs::read(self.script_file())?)?)
    }

    /// Records the pid of a process.
    pub(crate) fn note_pid(&self, pid: u32) -> io::Result<()> {
        let mut file = fs::File::options().create(true).append(true).open(self.pids_file())?;
        file.write_all(format!("{pid}\n").as_bytes())
    }

    /// The processes of the last fake CLI.
    pub(crate) fn pids(&self) -> Vec<u32> {
        let text = fs::read_to_string(self.pids_file()).unwrap_or_default();
        text.lines().filter_map(|line| line.parse().ok()).collect()
    }

    /// Records the processor time of the fake CLI, in seconds.
    pub(crate) fn note_time(&self, seconds: f64) -> io::Result<()> {
        fs::write(self.time_file(), seconds.to_string())
    }

    /// The processor time of the last fake CLI.
    pub(crate) fn time(&self) -> Option<f64> {
        fs::read_to_string(self.time_file()).ok()?.parse().ok()
    }

    fn script_file(&self) -> PathBuf {
        self.0.join("script.json")
    }

    fn pids_file(&self) -> PathBuf {
        self.0.join("pids")
    }

    fn time_file(&self) -> PathBuf {
        self.0.join("time")
    }
}
