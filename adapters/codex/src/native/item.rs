//! Items: what a turn is made of. The app server spells in camel case, `exec --json` in snake case.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// `item/started` and `item/completed`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ItemNotification {
    /// The item.
    pub item: Item,
}

/// A message, a thought, a command, a patch, …: few fields each, none of them in conflict.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Item {
    /// `agentMessage`, `reasoning`, `commandExecution`, `fileChange`, `mcpToolCall`, ….
    #[serde(rename = "type")]
    pub kind: String,
    /// Names the item.
    pub id: String,
    /// `inProgress`, `completed`, `failed`, `declined`, `interrupted`.
    pub status: String,
    /// With a message or a plan; with `exec`, with a thought too.
    pub text: String,
    /// With `exec`: the text of a warning.
    pub message: String,
    /// With a thought: its summary, in parts.
    pub summary: Vec<String>,
    /// With a thought or what a person said: its pieces.
    pub content: Vec<Value>,
    /// With a command: wrapped for a shell.
    pub command: String,
    /// With a command: where.
    pub cwd: Option<String>,
    /// With a command: what it does, as far as the CLI can tell.
    pub command_actions: Vec<CommandAction>,
    /// With a command: all of its output.
    #[serde(alias = "aggregated_output")]
    pub aggregated_output: Option<String>,
    /// With a command.
    #[serde(alias = "exit_code")]
    pub exit_code: Option<i32>,
    /// With a patch.
    pub changes: Vec<Change>,
    /// With a tool of an MCP server: the server.
    pub server: String,
    /// With a tool of an MCP server, of the client or of helpers: its name.
    pub tool: String,
    /// With such a tool: its input.
    pub arguments: Value,
    /// With such a tool: what it gave.
    pub result: Value,
    /// With such a tool: why it failed.
    pub error: Value,
    /// With a search.
    pub query: String,
    /// With a search: what was looked for, once it is known.
    pub action: Value,
    /// With a picture that is looked at.
    pub path: String,
    /// With a picture that was made: the file.
    pub saved_path: Option<String>,
    /// With helpers: what one was told.
    pub prompt: Option<String>,
    /// With helpers: their threads.
    #[serde(alias = "receiver_thread_ids")]
    pub receiver_thread_ids: Vec<String>,
    /// With helpers: how they are, by thread.
    #[serde(alias = "agents_states")]
    pub agents_states: BTreeMap<String, Value>,
    /// With a pause.
    pub duration_ms: Option<u64>,
    /// With `exec`: the things to do.
    pub items: Vec<Todo>,
}

/// What a command does, as far as the CLI can tell.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default)]
pub struct CommandAction {
    /// `read`, `listFiles`, `search`, `unknown`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The command without its shell.
    pub command: String,
}

/// What a patch does to one file.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default)]
pub struct Change {
    /// The file, absolute.
    pub path: String,
    /// `{"type": "add"|"delete"|"update", "move_path"?}`; with `exec` only the word.
    pub kind: Value,
    /// The content of a file that was added or deleted, the hunks of one that was changed.
    pub diff: Option<String>,
}

/// With `exec`: one thing to do.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default)]
pub struct Todo {
    /// What.
    pub text: String,
    /// It is done.
    pub completed: bool,
}
