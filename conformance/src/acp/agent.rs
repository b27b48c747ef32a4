//! The suite's own client of one agent process: sends requests, waits with a timeout, and answers
//! the agent's requests.

use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::command::AgentCommand;
use super::inbox::Inbox;
use super::invariants::AgentInvariants;
use crate::adapter_client::Connection;
use crate::fake_cli::pattern::Bindings;
use crate::outcome::{Finding, shorten};
use crate::process::{self, Process};
use crate::transcript::Transcript;

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

/// A running agent with everything it has sent.
pub struct Agent {
    pub(super) folder: PathBuf,
    pub(super) handled: usize,
    connection: Connection<Inbox>,
}

impl Agent {
    /// Starts an agent process in its own folder without sending anything. `placeholders` are those
    /// of its environment and home files.
    ///
    /// # Errors
    /// Blocked if it cannot be started.
    pub(super) fn start(
        command: &AgentCommand,
        placeholders: &Bindings,
        folder: PathBuf,
        time_factor: f64,
        invariants: AgentInvariants,
    ) -> Result<Self, Finding> {
        let transcript = Transcript::create(&unused(&folder, "transcript"))?;
        let env = command.prepare_home(&folder.join("home"), placeholders)?;
        // The start folder differs from the working folders of its sessions.
        let start = folder.join("start");
        std::fs::create_dir_all(&start)?;
        let mut process = Command::new(&command.program);
        process.args(&command.arguments).env_clear().envs(env).current_dir(start);
        let inbox = Inbox::new(invariants);
        let connection = Connection::start(&mut process, transcript, time_factor, inbox)?;
        Ok(Self { folder, handled: 0, connection })
    }

    /// Registers a request that is sent as raw bytes, and returns the text of its id.
    pub(super) fn expect(&mut self, id: &Value, method: &str, params: &Value) -> String {
        let key = id.to_string();
        self.inbox.invariants.ask(&key, method, params);
        key
    }

    /// Waits for the response to a request.
    pub fn answer(&mut self, key: &str, limit: Duration) -> Result<Reply, Finding> {
        let limit = self.limit(limit);
        if self.pump(limit, |inbox| inbox.answers.contains_key(key)) {
            return Ok(reply(&self.inbox.answers[key].value));
        }
        let expected = format!("a response to the request {key} within {limit:.1?}");
        let sent = self.inbox.invariants.sent(key).to_owned();
        let got = self.describe_silence();
        Err(self.failure(expected, got, sent))
    }

    /// Sends a request and waits for the response.
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
    pub fn refused(&mut self, method: &str, params: Value) -> Result<RpcError, Finding> {
        let sent = format!("{method} {}", shorten(&params.to_string(), 300));
        match self.request(method, params, START_TIMEOUT)? {
            Err(error) => Ok(error),
            reply @ Ok(_) => Err(self.failure("a JSON-RPC error", summary(&reply), sent)),
        }
    }

    /// Returns the live processes that it has started, including detached ones.
    pub(super) fn processes(&self) -> Vec<Process> {
        processes_of(&self.folder, self.pid())
    }

    /// Kills the process and everything it started.
    pub fn kill(&mut self) {
        self.connection.kill();
        self.processes().into_iter().for_each(|it| process::kill(it.pid));
    }
}

impl Deref for Agent {
    type Target = Connection<Inbox>;

    fn deref(&self) -> &Self::Target {
        &self.connection
    }
}

impl DerefMut for Agent {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.connection
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
