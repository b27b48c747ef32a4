//! Items, the parts of a turn. The app server uses camel case, `exec --json` snake case.

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

/// A message, a thought, a command, a patch, …: the union of their fields.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Item {
    /// `agentMessage`, `reasoning`, `commandExecution`, `fileChange`, `mcpToolCall`, ….
    #[serde(rename = "type")]
    pub kind: String,
    /// The id of the item.
    pub id: String,
    /// `inProgress`, `completed`, `failed`, `declined`, `interrupted`.
    pub status: String,
    /// For a message or a plan; with `exec`, for a thought too.
    pub text: String,
    /// For a warning of `exec`: its text.
    pub message: String,
    /// For a thought: its summary, in parts.
    pub summary: Vec<String>,
    /// For a thought or a user message: its content parts.
    pub content: Vec<Value>,
    /// For a command: the command line, shell included.
    pub command: String,
    /// For a command: its folder.
    pub cwd: Option<String>,
    /// For a command: the CLI's analysis of its parts.
    pub command_actions: Vec<CommandAction>,
    /// For a command: its complete output.
    #[serde(alias = "aggregated_output")]
    pub aggregated_output: Option<String>,
    /// For a command: its exit code.
    #[serde(alias = "exit_code")]
    pub exit_code: Option<i32>,
    /// For a patch: the changed files.
    pub changes: Vec<Change>,
    /// For a tool of an MCP server: the server.
    pub server: String,
    /// For a tool of an MCP server, of the client or for subagents: its name.
    pub tool: String,
    /// For such a tool: its input.
    pub arguments: Value,
    /// For such a tool: its result.
    pub result: Value,
    /// For such a tool: its error.
    pub error: Value,
    /// For a web search: the query.
    pub query: String,
    /// For a web search: the performed action; known at its end.
    pub action: Value,
    /// For a viewed image: the file.
    pub path: String,
    /// For a generated image: the file.
    pub saved_path: Option<String>,
    /// For subagents: the prompt.
    pub prompt: Option<String>,
    /// For subagents: their threads.
    #[serde(alias = "receiver_thread_ids")]
    pub receiver_thread_ids: Vec<String>,
    /// For subagents: their states, by thread.
    #[serde(alias = "agents_states")]
    pub agents_states: BTreeMap<String, Value>,
    /// For `sleep`.
    pub duration_ms: Option<u64>,
    /// For a to-do list of `exec`.
    pub items: Vec<Todo>,
}

/// A part of a command, as analyzed by the CLI.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default)]
pub struct CommandAction {
    /// `read`, `listFiles`, `search`, `unknown`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The command without its shell.
    pub command: String,
}

/// The change of one file by a patch.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default)]
pub struct Change {
    /// The absolute path.
    pub path: String,
    /// `{"type": "add"|"delete"|"update", "move_path"?}`; with `exec` only the type.
    pub kind: Value,
    /// The content of an added or deleted file, the hunks of a changed one.
    pub diff: Option<String>,
}

/// An entry of a to-do list of `exec`.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default)]
pub struct Todo {
    /// The text.
    pub text: String,
    /// Whether it is done.
    pub completed: bool,
}
