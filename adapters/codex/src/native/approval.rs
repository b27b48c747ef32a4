//! What the CLI asks: decisions and answers.

use serde::Deserialize;
use serde_json::Value;

/// `item/commandExecution/requestApproval`, `item/fileChange/requestApproval` and
/// `item/permissions/requestApproval`: few fields each, none of them in conflict.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ApprovalRequest {
    /// The call that waits.
    pub item_id: String,
    /// With a command.
    pub command: Option<String>,
    /// With a command: where.
    pub cwd: Option<String>,
    /// Why it asks.
    pub reason: Option<String>,
    /// With a command that wants the network: which host.
    pub network_approval_context: Option<NetworkContext>,
    /// With permissions: which.
    pub permissions: Value,
}

/// What a command wants of the network.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct NetworkContext {
    /// Whom it wants to reach.
    pub host: String,
}

/// `mcpServer/elicitation/request`: an MCP server's question, or the CLI's whether one of its tools
/// may run.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Elicitation {
    /// The server.
    pub server_name: String,
    /// The question.
    pub message: String,
    /// What the CLI adds.
    #[serde(rename = "_meta")]
    pub meta: ElicitationMeta,
}

/// What the CLI adds to a question about a tool.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ElicitationMeta {
    /// What the tool would get.
    pub tool_params: Option<Value>,
    /// How long an answer may hold (`session`, `always`).
    pub persist: Vec<String>,
}

/// `item/tool/requestUserInput`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct UserInputRequest {
    /// The questions, all at once.
    pub questions: Vec<UserQuestion>,
}

/// A question to a person.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct UserQuestion {
    /// The answer goes under this name.
    pub id: String,
    /// The question.
    pub question: String,
    /// What can be chosen.
    pub options: Option<Vec<UserOption>>,
}

/// A choice.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct UserOption {
    /// What it is called.
    pub label: String,
}
