//! Runs one command of the agent CLI and captures its whole output. For adapters that list models
//! or sessions with a command of the CLI, never for a run.

use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::Duration;

pub use super::program::{Answer, End};
use super::program::{Input, Program, run_with_input};
use crate::{Install, Machine};

/// One command of the agent CLI.
#[derive(Debug)]
pub struct CliCommand<'a> {
    /// The arguments.
    pub args: &'a [&'a str],
    /// Variables on top of the allowlist.
    pub env: BTreeMap<String, String>,
    /// The working folder; the home folder if absent or missing on disk.
    pub cwd: Option<&'a str>,
    /// The command is killed after this time.
    pub limit: Duration,
    /// Output beyond this size is cut off.
    pub max_bytes: u64,
}

impl CliCommand<'_> {
    /// Runs the command and returns its output. All processes that it started have ended then.
    ///
    /// Stdout is a file, not a pipe: some CLIs exit before a pipe has taken everything they wrote.
    ///
    /// # Errors
    /// The command could not be started.
    pub fn output(self, install: &Install, machine: &Machine) -> io::Result<Answer> {
        let cwd = self.cwd.map(Path::new).filter(|cwd| cwd.is_dir()).map(Path::to_owned);
        let program = Program { cwd, ..Program::cli(install, self.args, self.limit) };
        let mut file = tempfile::tempfile()?;
        let input = Input { env: self.env, stdout: Some(file.try_clone()?), ..Input::default() };
        let mut answer = run_with_input(&program, machine, input)?;
        file.seek(SeekFrom::Start(0))?;
        file.take(self.max_bytes).read_to_end(&mut answer.stdout)?;
        Ok(answer)
    }
}
