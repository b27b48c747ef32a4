//! What the agent does: tool calls, file changes, approvals, helpers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::wire_enum::wire_enum;
use crate::{
    ApprovalCategory, ApprovalOption, ApprovalOutcome, ApprovalResolver, ApprovalRisk, Truncated,
};

wire_enum! {
    /// What a tool does (ACP's set). An unknown word is other.
    pub enum ToolKind, unknown => Other {
        /// Reads files or data.
        Read = "read",
        /// Changes files.
        Edit = "edit",
        /// Deletes files.
        Delete = "delete",
        /// Moves or renames files.
        Move = "move",
        /// Searches.
        Search = "search",
        /// Runs a command.
        Execute = "execute",
        /// Thinks or plans.
        Think = "think",
        /// Fetches from outside.
        Fetch = "fetch",
        /// Anything else.
        Other = "other",
    }
}

/// Payload of `tool_call_started`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallStarted {
    /// Names the call.
    pub tool_call_id: String,
    /// The agent CLI's own name for the tool.
    pub name: String,
    /// What it does.
    pub kind: ToolKind,
    /// One line for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The MCP server the tool belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_server: Option<String>,
    /// The call whose helper makes this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_tool_call_id: Option<String>,
}

/// Payload of `tool_input_delta`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolInputDelta {
    /// The call.
    pub tool_call_id: String,
    /// The next piece of its input, as raw JSON text.
    pub text: String,
}

/// Payload of `tool_call_ready`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallReady {
    /// The call.
    pub tool_call_id: String,
    /// All of its input, as the agent CLI states it.
    pub input: Value,
    /// One line for people, now that the input is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The input was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<Truncated>,
}

wire_enum! {
    /// Where a piece of output comes from. An unknown word is read as stdout.
    pub enum OutputStream, unknown => Stdout {
        /// Standard output.
        Stdout = "stdout",
        /// Standard error.
        Stderr = "stderr",
    }
}

/// Payload of `tool_output_delta`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolOutputDelta {
    /// The call.
    pub tool_call_id: String,
    /// The next piece of its output.
    pub text: String,
    /// Where it comes from; absent means not stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<OutputStream>,
    /// The piece was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<Truncated>,
}

wire_enum! {
    /// How a call ended.
    pub enum ToolStatus, unknown => Unknown {
        /// It worked.
        Ok = "ok",
        /// It failed.
        Error = "error",
        /// It was not allowed.
        Denied = "denied",
        /// The run was stopped.
        Cancelled = "cancelled",
        /// The agent CLI never said.
        Unknown = "unknown",
    }
}

/// Payload of `tool_result`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// The call.
    pub tool_call_id: String,
    /// How it ended.
    pub status: ToolStatus,
    /// What it gave: text, or the agent CLI's own structure.
    pub output: Value,
    /// With a command: its exit code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The output was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<Truncated>,
}

wire_enum! {
    /// What was done to a file. An unknown word is an edit.
    pub enum FileOp, unknown => Edit {
        /// It is new.
        Create = "create",
        /// It was changed.
        Edit = "edit",
        /// It is gone.
        Delete = "delete",
        /// It has another name.
        Rename = "rename",
    }
}

wire_enum! {
    /// Who saw the change. An unknown word is read as observed.
    pub enum FileChangeSource, unknown => Observed {
        /// The agent CLI reported it.
        Native = "native",
        /// Adapter or host saw it on disk.
        Observed = "observed",
    }
}

/// Payload of `file_change`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileChange {
    /// The file, absolute.
    pub path: String,
    /// What was done to it.
    pub op: FileOp,
    /// With `rename`: its old name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Who saw it.
    pub source: FileChangeSource,
    /// A unified diff, where the agent CLI gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// The call that did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The diff was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<Truncated>,
}

/// Payload of `approval_requested`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRequested {
    /// Names the question.
    pub approval_id: String,
    /// What kind of thing it is.
    pub category: ApprovalCategory,
    /// How much harm a wrong answer can do.
    pub risk: ApprovalRisk,
    /// One line for people: what exactly would happen.
    pub summary: String,
    /// The call that waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The input that waits, for a person to see or edit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// The answers on offer.
    pub options: Vec<ApprovalOption>,
    /// How long it waits before it is denied; null means without limit.
    pub deadline_ms: Option<u64>,
}

/// Payload of `approval_resolved`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalResolved {
    /// The question.
    pub approval_id: String,
    /// The decision.
    pub outcome: ApprovalOutcome,
    /// Who made it.
    pub by: ApprovalResolver,
}

/// Payload of `subagent_started`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubagentStarted {
    /// Names the helper.
    pub subagent_id: String,
    /// What it is for.
    pub title: String,
    /// The call that started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_tool_call_id: Option<String>,
}

/// Payload of `subagent_stopped`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubagentStopped {
    /// The helper.
    pub subagent_id: String,
    /// What it was for.
    pub title: String,
    /// The call that started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_tool_call_id: Option<String>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<ToolStatus>,
    /// What it did inside, counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}
