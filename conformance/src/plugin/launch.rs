//! Starting a plugin process and ending it, whatever state it is in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use super::channel::{Channel, Sorter};
use super::inbox::Inbox;
use crate::invariants::Watch;
use crate::process;
use crate::stand_in::StandIn;
use crate::transcript::{Place, Transcript};
use crate::verdict::Finding;

/// The plugin that is judged.
#[derive(Debug, Clone)]
pub struct PluginPath {
    /// Its executable.
    pub executable: PathBuf,
    /// Arguments in front of `--manifest` and `--stdio`; the suite's own mutants take their fault
    /// that way.
    pub arguments: Vec<String>,
}

/// How a plugin process is started.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Its whole environment.
    pub env: BTreeMap<String, String>,
    /// Its folder.
    pub cwd: PathBuf,
    /// `--stdio`, unless a check wants something else.
    pub arguments: Vec<String>,
    /// Factor on every limit of time.
    pub patience: f64,
    /// Values that may appear in nothing the plugin says.
    pub secrets: Vec<String>,
}

/// A running plugin process with everything it has said.
pub struct Plugin {
    /// What it has said.
    pub inbox: Inbox,
    /// The agent CLI it is told to use.
    pub stand_in: StandIn,
    /// Its home folder.
    pub home: PathBuf,
    /// Values that may appear in nothing it says.
    pub secrets: Vec<String>,
    pub(super) next_id: u64,
    channel: Channel,
}

impl Plugin {
    /// Starts a plugin process. Nothing is said to it yet.
    ///
    /// # Errors
    /// When the process cannot be started.
    pub fn start(
        plugin: &PluginPath,
        launch: &Launch,
        stand_in: StandIn,
        transcript: Transcript,
        watch: Watch,
    ) -> Result<Self, Finding> {
        let mut command = Command::new(&plugin.executable);
        command
            .args(&plugin.arguments)
            .args(&launch.arguments)
            .env_clear()
            .envs(&launch.env)
            .current_dir(&launch.cwd);
        let channel = Channel::start(&mut command, transcript.clone(), launch.patience)?;
        Ok(Self {
            inbox: Inbox::new(watch, transcript),
            stand_in,
            home: launch.env.get("HOME").map(PathBuf::from).unwrap_or_default(),
            secrets: launch.secrets.clone(),
            next_id: 1,
            channel,
        })
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.channel.pid()
    }

    /// A limit of time, stretched on slow machines.
    pub fn limit(&self, limit: Duration) -> Duration {
        self.channel.limit(limit)
    }

    /// The last line of the transcript.
    pub fn place(&self) -> Place {
        self.channel.place()
    }

    /// Writes a remark into the transcript and says where it stands.
    pub fn remark(&self, text: &str) -> Place {
        self.channel.remark(text)
    }

    /// Sends bytes exactly as they are. A line feed is the caller's business.
    pub fn send_raw(&mut self, bytes: &[u8]) {
        self.channel.send_raw(bytes);
    }

    /// Closes the plugin's stdin.
    pub fn close_stdin(&mut self) {
        self.channel.close_stdin();
    }

    /// Stops reading the plugin's stdout for good, so that writing to it fails.
    pub fn close_stdout(&mut self) {
        self.channel.close_stdout();
        self.inbox.end();
    }

    /// Reads nothing for a while, so that the plugin has to wait with what it says.
    pub fn stall(&self, time: Duration) {
        self.channel.stall(time);
    }

    /// Takes in what the plugin says until something is so, or the time is over.
    pub fn pump(&mut self, limit: Duration, is_so: impl FnMut(&Inbox) -> bool) -> bool {
        self.channel.pump(&mut self.inbox, limit, is_so)
    }

    /// Takes in what is there already, and what comes within the time.
    pub fn listen(&mut self, time: Duration) {
        self.pump(time, |_| false);
    }

    /// Whether the process is still there.
    pub fn is_running(&mut self) -> bool {
        self.channel.try_exit().is_none()
    }

    /// Waits for the process to exit, taking in what it still says.
    pub fn wait_exit(&mut self, limit: Duration) -> Option<ExitStatus> {
        self.channel.wait_exit(&mut self.inbox, limit)
    }

    /// Ends the process and everything it started.
    pub fn kill(&mut self) {
        self.channel.kill();
        self.stand_in.processes().into_iter().for_each(process::kill);
    }
}

impl Drop for Plugin {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The environment variables a plugin always gets: the ones its own host would leave in.
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
