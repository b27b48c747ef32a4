//! The suite's own client of one agent process: it asks, waits, never longer than a limit, and
//! answers.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use serde_json::{Value, json};

use super::command::AgentCommand;
use super::inbox::Inbox;
use super::watch::Watch;
use crate::plugin::Channel;
use crate::process;
use crate::real::leftover;
use crate::transcript::{Place, Transcript};
use crate::verdict::{Failure, Finding, shorten};

/// How long an agent may take for something that needs no model.
pub(super) const ANSWER_LIMIT: Duration = Duration::from_secs(10);

/// How long it may take to start, and to begin a session: real agents unpack themselves first.
pub(super) const START_LIMIT: Duration = Duration::from_secs(30);

/// An error that an agent answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RpcError {
    /// Its code.
    pub code: i64,
    /// Its words, the details included.
    pub message: String,
}

/// What came back.
pub type Reply = Result<Value, RpcError>;

/// What came back in a few words, for messages.
pub(super) fn summary(reply: &Reply) -> String {
    match reply {
        Ok(result) => format!("the result {}", shorten(&result.to_string(), 300)),
        Err(error) => format!("the error {}: {}", error.code, shorten(&error.message, 300)),
    }
}

/// Where an agent process lives.
pub(super) struct Launch<'a> {
    /// What was typed about it.
    pub(super) command: &'a AgentCommand,
    /// The address of the fake model; empty without one.
    pub(super) url: &'a str,
    /// A key that opens nothing.
    pub(super) secret: &'a str,
    /// A folder of its own; its processes are known by it.
    pub(super) folder: PathBuf,
    /// Factor on every limit of time.
    pub(super) patience: f64,
    /// The rules over every line.
    pub(super) watch: Watch,
}

/// A running agent with everything it has said.
pub struct Agent {
    /// What it has said.
    pub inbox: Inbox,
    pub(super) folder: PathBuf,
    pub(super) handled: usize,
    channel: Channel,
    next_id: u64,
}

impl Agent {
    /// Starts an agent process. Nothing is said to it yet.
    ///
    /// # Errors
    /// Blocked when it cannot be started.
    pub(super) fn start(launch: Launch<'_>) -> Result<Self, Finding> {
        let Launch { command, url, secret, folder, patience, watch } = launch;
        let transcript = Transcript::create(&unused(&folder, "transcript"))?;
        let env = command.settle(&folder.join("home"), url, secret)?;
        // Where it is started is not where its sessions work.
        let start = folder.join("start");
        std::fs::create_dir_all(&start)?;
        let mut process = Command::new(&command.program);
        process.args(&command.arguments).env_clear().envs(env).current_dir(start);
        let channel = Channel::start(&mut process, transcript.clone(), patience)?;
        let inbox = Inbox::new(watch, transcript);
        Ok(Self { inbox, folder, handled: 0, channel, next_id: 1 })
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

    /// Sends bytes exactly as they are. A line feed is the caller's business.
    pub fn send_raw(&mut self, bytes: &[u8]) {
        self.channel.send_raw(bytes);
    }

    /// Sends a message.
    pub fn send(&mut self, message: &Value) {
        self.send_raw(format!("{message}\n").as_bytes());
    }

    /// Closes the agent's stdin.
    pub fn close_stdin(&mut self) {
        self.channel.close_stdin();
    }

    /// Sends a request and gives its id, as JSON text.
    pub fn ask(&mut self, method: &str, params: Value) -> String {
        let id = json!(self.next_id);
        self.next_id += 1;
        self.ask_with_id(id, method, params)
    }

    /// Sends a request under an id of the caller's choice.
    pub fn ask_with_id(&mut self, id: Value, method: &str, params: Value) -> String {
        let key = self.expect(&id, method, &params);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        key
    }

    /// Says that a request is about to be sent as bytes; gives the text of its id.
    pub(super) fn expect(&mut self, id: &Value, method: &str, params: &Value) -> String {
        let key = id.to_string();
        self.inbox.watch.ask(&key, method, params);
        key
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Takes in what the agent says until something is so, or the time is over.
    pub fn pump(&mut self, limit: Duration, is_so: impl FnMut(&Inbox) -> bool) -> bool {
        self.channel.pump(&mut self.inbox, limit, is_so)
    }

    /// Takes in what is there already, and what comes within the time.
    pub fn listen(&mut self, time: Duration) {
        self.pump(time, |_| false);
    }

    /// Waits for the answer to a request.
    ///
    /// # Errors
    /// A failure when none comes in time.
    pub fn answer(&mut self, key: &str, limit: Duration) -> Result<Reply, Finding> {
        let limit = self.limit(limit);
        if self.pump(limit, |inbox| inbox.answers.contains_key(key)) {
            return Ok(reply(&self.inbox.answers[key].value));
        }
        let state = match (self.is_running(), self.inbox.ended) {
            (false, _) => "the agent has exited",
            (true, true) => "the agent closed its stdout",
            (true, false) => "nothing came and the agent is still running",
        };
        let expected = format!("an answer to the request {key} within {limit:.1?}");
        let sent = self.inbox.watch.sent(key).to_owned();
        Err(Failure::new(expected, state).sent(sent).at(self.place()).into())
    }

    /// Asks and waits.
    ///
    /// # Errors
    /// A failure when no answer comes in time.
    pub fn request(
        &mut self,
        method: &str,
        params: Value,
        limit: Duration,
    ) -> Result<Reply, Finding> {
        let key = self.ask(method, params);
        self.answer(&key, limit)
    }

    /// Asks something that must be refused with an error.
    ///
    /// # Errors
    /// A failure when it is not.
    pub fn refused(&mut self, method: &str, params: Value) -> Result<RpcError, Finding> {
        let sent = format!("{method} {}", shorten(&params.to_string(), 300));
        match self.request(method, params, START_LIMIT)? {
            Err(error) => Ok(error),
            reply @ Ok(_) => Err(self.wrong("a JSON-RPC error", &summary(&reply), &sent)),
        }
    }

    /// A failure at the last line of the transcript.
    pub(super) fn wrong(&self, expected: &str, got: &str, sent: &str) -> Finding {
        Failure::new(expected, got).sent(sent).at(self.place()).into()
    }

    /// Whether the process is still there.
    pub fn is_running(&mut self) -> bool {
        self.channel.try_exit().is_none()
    }

    /// Waits for the process to exit, taking in what it still says.
    pub fn wait_exit(&mut self, limit: Duration) -> Option<ExitStatus> {
        self.channel.wait_exit(&mut self.inbox, limit)
    }

    /// The live processes it has started, wherever they went.
    pub(super) fn processes(&self) -> Vec<leftover::Process> {
        processes_of(&self.folder, self.pid())
    }

    /// Ends the process and everything it started.
    pub fn kill(&mut self) {
        self.channel.kill();
        self.processes().into_iter().for_each(|it| process::kill(it.pid));
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The path of a log that is not there yet: a folder may see several processes.
fn unused(folder: &Path, name: &str) -> PathBuf {
    let numbered = (2..).map(|number| folder.join(format!("{name}-{number}.log")));
    let mut paths = std::iter::once(folder.join(format!("{name}.log"))).chain(numbered);
    paths.find(|path| !path.exists()).unwrap_or_else(|| folder.join(name))
}

/// Processes that name the folder in their environment, and those below the agent.
fn processes_of(folder: &Path, agent: u32) -> Vec<leftover::Process> {
    if !process::CAN_INSPECT {
        return Vec::new();
    }
    let mut found = leftover::processes_of(folder, agent);
    for pid in process::descendants(agent) {
        if !found.iter().any(|known| known.pid == pid) {
            found.push(leftover::process(pid));
        }
    }
    found
}

fn reply(value: &Value) -> Reply {
    let error = &value["error"];
    if error.is_null() {
        return Ok(value["result"].clone());
    }
    let words = error["message"].as_str().unwrap_or_default();
    let details = error.get("data").map(|data| format!(" {data}")).unwrap_or_default();
    let message = format!("{words}{details}");
    Err(RpcError { code: error["code"].as_i64().unwrap_or_default(), message })
}
