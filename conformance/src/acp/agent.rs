//! The suite's own client of one agent process: sends requests, waits with a timeout, and answers
//! the agent's requests.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use serde_json::{Value, json};

use super::command::AgentCommand;
use super::inbox::Inbox;
use super::invariants::AgentInvariants;
use crate::adapter_client::Channel;
use crate::outcome::{Failure, Finding, shorten};
use crate::process::{self, Process};
use crate::transcript::{Location, Transcript};

/// The timeout of requests that need no model.
pub(super) const RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);

/// The timeout for starting and for the first session: real agents unpack themselves first.
pub(super) const START_TIMEOUT: Duration = Duration::from_secs(30);

/// A JSON-RPC error response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RpcError {
    /// Its code.
    pub code: i64,
    /// Its message, including the details.
    pub message: String,
}

/// The response to a request.
pub type Reply = Result<Value, RpcError>;

/// Summarizes a response for messages.
pub(super) fn summary(reply: &Reply) -> String {
    match reply {
        Ok(result) => format!("the result {}", shorten(&result.to_string(), 300)),
        Err(error) => format!("the error {}: {}", error.code, shorten(&error.message, 300)),
    }
}

/// How an agent process is started.
pub(super) struct Launch<'a> {
    /// The agent under test.
    pub(super) command: &'a AgentCommand,
    /// The URL of the fake model; empty without one.
    pub(super) url: &'a str,
    /// A fake API key.
    pub(super) secret: &'a str,
    /// Its own folder, by which its processes are recognized.
    pub(super) folder: PathBuf,
    /// The factor for every timeout.
    pub(super) time_factor: f64,
    /// The invariants of every line.
    pub(super) invariants: AgentInvariants,
}

/// A running agent with everything it has sent.
pub struct Agent {
    /// Everything it has sent.
    pub inbox: Inbox,
    pub(super) folder: PathBuf,
    pub(super) handled: usize,
    channel: Channel,
    next_id: u64,
}

impl Agent {
    /// Starts an agent process without sending anything.
    ///
    /// # Errors
    /// Blocked if it cannot be started.
    pub(super) fn start(launch: Launch<'_>) -> Result<Self, Finding> {
        let Launch { command, url, secret, folder, time_factor, invariants } = launch;
        let transcript = Transcript::create(&unused(&folder, "transcript"))?;
        let env = command.prepare_home(&folder.join("home"), url, secret)?;
        // The start folder differs from the working folders of its sessions.
        let start = folder.join("start");
        std::fs::create_dir_all(&start)?;
        let mut process = Command::new(&command.program);
        process.args(&command.arguments).env_clear().envs(env).current_dir(start);
        let channel = Channel::start(&mut process, transcript.clone(), time_factor)?;
        let inbox = Inbox::new(invariants, transcript);
        Ok(Self { inbox, folder, handled: 0, channel, next_id: 1 })
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

    /// Sends bytes unchanged. The caller adds the line feed.
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

    /// Sends a request and returns its id as JSON text.
    pub fn ask(&mut self, method: &str, params: Value) -> String {
        let id = json!(self.next_id);
        self.next_id += 1;
        self.ask_with_id(id, method, params)
    }

    /// Sends a request with the given id.
    pub fn ask_with_id(&mut self, id: Value, method: &str, params: Value) -> String {
        let key = self.expect(&id, method, &params);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        key
    }

    /// Registers a request that is sent as raw bytes, and returns the text of its id.
    pub(super) fn expect(&mut self, id: &Value, method: &str, params: &Value) -> String {
        let key = id.to_string();
        self.inbox.invariants.ask(&key, method, params);
        key
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Reads messages until the condition holds or the timeout expires.
    pub fn pump(&mut self, limit: Duration, condition: impl FnMut(&Inbox) -> bool) -> bool {
        self.channel.pump(&mut self.inbox, limit, condition)
    }

    /// Reads pending messages and those that arrive within the time.
    pub fn listen(&mut self, time: Duration) {
        self.pump(time, |_| false);
    }

    /// Waits for the response to a request.
    ///
    /// # Errors
    /// A failure if none arrives in time.
    pub fn answer(&mut self, key: &str, limit: Duration) -> Result<Reply, Finding> {
        let limit = self.limit(limit);
        if self.pump(limit, |inbox| inbox.answers.contains_key(key)) {
            return Ok(reply(&self.inbox.answers[key].value));
        }
        let state = match (self.is_running(), self.inbox.ended) {
            (false, _) => "the agent has exited",
            (true, true) => "the agent closed its stdout",
            (true, false) => "nothing was received and the agent is still running",
        };
        let expected = format!("a response to the request {key} within {limit:.1?}");
        let sent = self.inbox.invariants.sent(key).to_owned();
        Err(Failure::new(expected, state).sent(sent).at(self.location()).into())
    }

    /// Sends a request and waits for the response.
    ///
    /// # Errors
    /// A failure if no response arrives in time.
    pub fn request(
        &mut self,
        method: &str,
        params: Value,
        limit: Duration,
    ) -> Result<Reply, Finding> {
        let key = self.ask(method, params);
        self.answer(&key, limit)
    }

    /// Sends a request that must fail.
    ///
    /// # Errors
    /// A failure if it is not.
    pub fn refused(&mut self, method: &str, params: Value) -> Result<RpcError, Finding> {
        let sent = format!("{method} {}", shorten(&params.to_string(), 300));
        match self.request(method, params, START_TIMEOUT)? {
            Err(error) => Ok(error),
            reply @ Ok(_) => Err(self.failure_at_end("a JSON-RPC error", &summary(&reply), &sent)),
        }
    }

    /// Builds a failure at the last line of the transcript.
    pub(super) fn failure_at_end(&self, expected: &str, got: &str, sent: &str) -> Finding {
        Failure::new(expected, got).sent(sent).at(self.location()).into()
    }

    /// Whether the process is running.
    pub fn is_running(&mut self) -> bool {
        self.channel.try_exit().is_none()
    }

    /// Waits for the process to exit while reading its output.
    pub fn wait_exit(&mut self, limit: Duration) -> Option<ExitStatus> {
        self.channel.wait_exit(&mut self.inbox, limit)
    }

    /// Returns the live processes that it has started, including detached ones.
    pub(super) fn processes(&self) -> Vec<Process> {
        processes_of(&self.folder, self.pid())
    }

    /// Kills the process and everything it started.
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

/// Returns the path of a new log: several processes can use one folder.
fn unused(folder: &Path, name: &str) -> PathBuf {
    let numbered = (2..).map(|number| folder.join(format!("{name}-{number}.log")));
    let mut paths = std::iter::once(folder.join(format!("{name}.log"))).chain(numbered);
    paths.find(|path| !path.exists()).unwrap_or_else(|| folder.join(name))
}

/// Returns the processes with the folder in their environment and the descendants of the agent.
fn processes_of(folder: &Path, agent: u32) -> Vec<Process> {
    if !process::CAN_INSPECT {
        return Vec::new();
    }
    let mut found = process::processes_of(folder, agent);
    for pid in process::descendants(agent) {
        if !found.iter().any(|known| known.pid == pid) {
            found.push(process::command_line(pid));
        }
    }
    found
}

fn reply(value: &Value) -> Reply {
    let error = &value["error"];
    if error.is_null() {
        return Ok(value["result"].clone());
    }
    let text = error["message"].as_str().unwrap_or_default();
    let details = error.get("data").map(|data| format!(" {data}")).unwrap_or_default();
    let message = format!("{text}{details}");
    Err(RpcError { code: error["code"].as_i64().unwrap_or_default(), message })
}
