//! Starting a plugin process and ending it, whatever state it is in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use super::inbox::Inbox;
use super::wire::{self, Incoming, Outgoing, Stall};
use crate::invariants::Watch;
use crate::process;
use crate::stand_in::StandIn;
use crate::transcript::{Place, Source, Transcript};
use crate::verdict::Finding;

/// How many lines that are there already are taken in after the time is over. A plugin that floods
/// must not keep the suite busy for ever.
const LATE_LINES: usize = 10_000;

/// How often an exit is looked for.
const POLL: Duration = Duration::from_millis(3);

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
    pub(super) transcript: Transcript,
    pub(super) next_id: u64,
    pub(super) patience: f64,
    child: Child,
    exit: Option<ExitStatus>,
    outgoing: Option<Sender<Outgoing>>,
    incoming: Receiver<Incoming>,
    stall: Stall,
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
            .current_dir(&launch.cwd)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| {
            Finding::Blocked(format!("{} cannot be started: {error}", plugin.executable.display()))
        })?;
        let missing = || Finding::Suite("a pipe of the plugin is missing".to_owned());
        let outgoing = wire::start_writer(child.stdin.take().ok_or_else(missing)?);
        let stall = Stall::default();
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let incoming = wire::start_reader(stdout, stall.clone());
        wire::start_stderr(child.stderr.take().ok_or_else(missing)?, transcript.clone());
        transcript.note(Source::Remark, format!("started as process {}", child.id()).as_bytes());
        Ok(Self {
            inbox: Inbox::new(watch, transcript.clone()),
            stand_in,
            home: launch.env.get("HOME").map(PathBuf::from).unwrap_or_default(),
            secrets: launch.secrets.clone(),
            transcript,
            next_id: 1,
            patience: launch.patience,
            child,
            exit: None,
            outgoing: Some(outgoing),
            incoming,
            stall,
        })
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A limit of time, stretched on slow machines.
    pub fn limit(&self, limit: Duration) -> Duration {
        limit.mul_f64(self.patience)
    }

    /// The last line of the transcript.
    pub fn place(&self) -> Place {
        self.transcript.place()
    }

    /// Writes a remark into the transcript and says where it stands.
    pub fn remark(&self, text: &str) -> Place {
        self.transcript.note(Source::Remark, text.as_bytes())
    }

    /// Sends bytes exactly as they are. A line feed is the caller's business.
    pub fn send_raw(&mut self, bytes: &[u8]) {
        self.transcript.note(Source::Suite, bytes.strip_suffix(b"\n").unwrap_or(bytes));
        if let Some(outgoing) = &self.outgoing {
            // A plugin that is gone is seen by the wait for its answer.
            let _gone = outgoing.send(Outgoing::Bytes(bytes.to_vec()));
        }
    }

    /// Closes the plugin's stdin.
    pub fn close_stdin(&mut self) {
        self.transcript.note(Source::Remark, b"the suite closed the plugin's stdin");
        if let Some(outgoing) = self.outgoing.take() {
            let _gone = outgoing.send(Outgoing::Close);
        }
    }

    /// Stops reading the plugin's stdout for good, so that writing to it fails.
    pub fn close_stdout(&mut self) {
        self.transcript.note(Source::Remark, b"the suite closed the plugin's stdout");
        let (_, nothing) = std::sync::mpsc::sync_channel(1);
        self.incoming = nothing;
        self.inbox.ended = true;
    }

    /// Reads nothing for a while, so that the plugin has to wait with what it says.
    pub fn stall(&self, time: Duration) {
        self.transcript.note(Source::Remark, format!("nobody reads for {time:?}").as_bytes());
        self.stall.set(true);
        std::thread::sleep(time);
        self.stall.set(false);
    }

    /// Takes in what the plugin says until something is so, or the time is over.
    pub fn pump(&mut self, limit: Duration, mut is_so: impl FnMut(&Inbox) -> bool) -> bool {
        let deadline = Instant::now() + limit;
        let mut late_lines = 0;
        loop {
            if is_so(&self.inbox) {
                return true;
            }
            if self.inbox.ended || late_lines > LATE_LINES {
                return false;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            late_lines += usize::from(left.is_zero());
            match self.incoming.recv_timeout(left) {
                Ok(incoming) => self.inbox.take(incoming),
                Err(RecvTimeoutError::Timeout) => return false,
                Err(RecvTimeoutError::Disconnected) => self.inbox.ended = true,
            }
        }
    }

    /// Takes in what is there already, and what comes within the time.
    pub fn listen(&mut self, time: Duration) {
        self.pump(time, |_| false);
    }

    /// Whether the process is still there.
    pub fn is_running(&mut self) -> bool {
        self.try_exit().is_none()
    }

    /// Waits for the process to exit, taking in what it still says.
    pub fn wait_exit(&mut self, limit: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + limit;
        loop {
            if let Some(status) = self.try_exit() {
                self.listen(Duration::from_millis(20));
                return Some(status);
            }
            if Instant::now() >= deadline {
                return None;
            }
            if self.inbox.ended {
                std::thread::sleep(POLL);
            } else {
                self.listen(POLL);
            }
        }
    }

    /// Ends the process and everything it started.
    pub fn kill(&mut self) {
        if self.try_exit().is_none() {
            process::kill_tree(self.pid());
            // It cannot outlive SIGKILL; waiting only clears the table of processes.
            self.exit = self.child.wait().ok();
        }
        self.stand_in.processes().into_iter().for_each(process::kill);
    }

    fn try_exit(&mut self) -> Option<ExitStatus> {
        if self.exit.is_none() {
            self.exit = self.child.try_wait().ok().flatten();
            if let Some(status) = self.exit {
                self.transcript
                    .note(Source::Remark, format!("the plugin ended: {status}").as_bytes());
            }
        }
        self.exit
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
