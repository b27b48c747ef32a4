//! The CLI's requests for approval and for user input.

use serde::Deserialize;
use serde_json::Value;

/// `item/commandExecution/requestApproval`, `item/fileChange/requestApproval` and
/// `item/permissions/requestApproval`: the union of their fields.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ApprovalRequest {
    /// The tool call that waits.
    pub item_id: String,
    /// For a command: the command.
    pub command: Option<String>,
    /// For a command: its folder.
    pub cwd: Option<String>,
    /// The reason of the request.
    pub reason: Option<String>,
    /// For a command that needs the network.
    pub network_approval_context: Option<NetworkContext>,
    /// For permissions: the requested ones.
    pub permissions: Value,
}

/// The network access of a command.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct NetworkContext {
    /// The host.
    pub host: String,
}

/// `mcpServer/elicitation/request`: a question of an MCP server, or the approval of one of its tools.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Elicitation {
    /// The server.
    pub server_name: String,
    /// The question.
    pub message: String,
    /// Fields that the CLI adds.
    #[serde(rename = "_meta")]
    pub meta: ElicitationMeta,
}

/// Fields that the CLI adds to the approval of a tool.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ElicitationMeta {
    /// The input of the tool.
    pub tool_params: Option<Value>,
    /// The possible scopes of an answer (`session`, `always`).
    pub persist: Vec<String>,
}

/// `item/tool/requestUserInput`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct UserInputRequest {
    /// The questions.
    pub questions: Vec<UserQuestion>,
}

/// A question to the user.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct UserQuestion {
    /// The key of the answer.
    pub id: String,
    /// The question.
    pub question: String,
    /// The choices.
    pub options: Option<Vec<UserOption>>,
}

/// A choice.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct UserOption {
    /// The label.
    pub label: String,
}
