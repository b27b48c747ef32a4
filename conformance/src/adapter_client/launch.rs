//! Starts and ends an adapter process.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use super::channel::{Channel, Sorter};
use super::inbox::Inbox;
use crate::fake_cli::FakeCli;
use crate::invariants::InvariantChecker;
use crate::outcome::Finding;
use crate::process;
use crate::transcript::{Location, Transcript};

/// The adapter under test.
#[derive(Debug, Clone)]
pub struct AdapterPath {
    /// Its executable.
    pub executable: PathBuf,
    /// Arguments before `--manifest` and `--stdio`; the suite's own mutants receive their fault
    /// this way.
    pub arguments: Vec<String>,
}

/// How an adapter process is started.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Its complete environment.
    pub env: BTreeMap<String, String>,
    /// Its working folder.
    pub cwd: PathBuf,
    /// `--stdio`, unless a check needs other arguments.
    pub arguments: Vec<String>,
    /// The factor for every timeout.
    pub time_factor: f64,
    /// Values that must not appear in any message of the adapter.
    pub secrets: Vec<String>,
}

/// A running adapter process with everything it has sent.
pub struct AdapterClient {
    /// Everything it has sent.
    pub inbox: Inbox,
    /// The agent CLI that it uses.
    pub fake_cli: FakeCli,
    /// Its home folder.
    pub home: PathBuf,
    /// Values that must not appear in any message.
    pub secrets: Vec<String>,
    pub(super) next_id: u64,
    channel: Channel,
}

impl AdapterClient {
    /// Starts an adapter process without sending anything.
    ///
    /// # Errors
    /// When the process cannot be started.
    pub fn start(
        adapter: &AdapterPath,
        launch: &Launch,
        fake_cli: FakeCli,
        transcript: Transcript,
        checker: InvariantChecker,
    ) -> Result<Self, Finding> {
        let mut command = Command::new(&adapter.executable);
        command
            .args(&adapter.arguments)
            .args(&launch.arguments)
            .env_clear()
            .envs(&launch.env)
            .current_dir(&launch.cwd);
        let channel = Channel::start(&mut command, transcript.clone(), launch.time_factor)?;
        Ok(Self {
            inbox: Inbox::new(checker, transcript),
            fake_cli,
            home: launch.env.get("HOME").map(PathBuf::from).unwrap_or_default(),
            secrets: launch.secrets.clone(),
            next_id: 1,
            channel,
        })
    }

    /// Returns its process id.
    pub fn pid(&self) -> u32 {
        self.channel.pid()
    }

    /// Scales a timeout by the time factor.
    pub fn limit(&self, limit: Duration) -> Duration {
        self.channel.limit(limit)
    }

    /// Returns the last line of the transcript.
    pub fn location(&self) -> Location {
        self.channel.location()
    }

    /// Writes a remark into the transcript and returns its location.
    pub fn remark(&self, text: &str) -> Location {
        self.channel.remark(text)
    }

    /// Sends bytes unchanged. The caller adds the line feed.
    pub fn send_raw(&mut self, bytes: &[u8]) {
        self.channel.send_raw(bytes);
    }

    /// Closes the adapter's stdin.
    pub fn close_stdin(&mut self) {
        self.channel.close_stdin();
    }

    /// Closes the reading end of the adapter's stdout, so that writing to it fails.
    pub fn close_stdout(&mut self) {
        self.channel.close_stdout();
        self.inbox.end();
    }

    /// Reads nothing for some time, so that the adapter's pipe fills up.
    pub fn stall(&self, time: Duration) {
        self.channel.stall(time);
    }

    /// Reads messages until the condition holds or the timeout expires.
    pub fn pump(&mut self, limit: Duration, condition: impl FnMut(&Inbox) -> bool) -> bool {
        self.channel.pump(&mut self.inbox, limit, condition)
    }

    /// Reads pending messages and those that arrive within the time.
    pub fn listen(&mut self, time: Duration) {
        self.pump(time, |_| false);
    }

    /// Whether the process is running.
    pub fn is_running(&mut self) -> bool {
        self.channel.try_exit().is_none()
    }

    /// Waits for the process to exit while reading its output.
    pub fn wait_exit(&mut self, limit: Duration) -> Option<ExitStatus> {
        self.channel.wait_exit(&mut self.inbox, limit)
    }

    /// Kills the process and everything it started.
    pub fn kill(&mut self) {
        self.channel.kill();
        self.fake_cli.processes().into_iter().for_each(process::kill);
    }
}

impl Drop for AdapterClient {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns the environment variables that every host passes to an adapter.
pub fn base_env(home: &Path, path: &str) -> BTreeMap<String, String> {
    let home = home.to_string_lossy().into_owned();
    let mut env = BTreeMap::from([
        ("PATH".to_owned(), path.to_owned()),
        ("LANG".to_owned(), "C.UTF-8".to_owned()),
        ("TMPDIR".to_owned(), format!("{home}/tmp")),
    ]);
    if cfg!(windows) {
        env.insert("USERPROFILE".to_owned(), home.clone());
        env.extend(std::env::var("SystemRoot").map(|root| ("SystemRoot".to_owned(), root)));
    }
    env.insert("HOME".to_owned(), home);
    env
}
