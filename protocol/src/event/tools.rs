//! Tool calls, file changes, approvals and subagents.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::wire_enum::wire_enum;
use crate::{
    ApprovalCategory, ApprovalOption, ApprovalOutcome, ApprovalResolver, ApprovalRisk, Truncated,
};

wire_enum! {
    /// What a tool does (the values of ACP). An unknown value means other.
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
        /// Fetches external data.
        Fetch = "fetch",
        /// Anything else.
        Other = "other",
    }
}

/// Payload of `tool_call_started`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ToolCallStarted {
    /// The id of the call, unique within the run.
    pub tool_call_id: String,
    /// The agent CLI's own name for the tool.
    pub name: String,
    /// What the tool does.
    pub kind: ToolKind,
    /// A one-line title for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The MCP server the tool belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_server: Option<String>,
    /// The call whose subagent makes this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_tool_call_id: Option<String>,
}

/// Payload of `tool_input_delta`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ToolInputDelta {
    /// The call.
    pub tool_call_id: String,
    /// The next piece of the input, as raw JSON text.
    pub text: String,
}

/// Payload of `tool_call_ready`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ToolCallReady {
    /// The call.
    pub tool_call_id: String,
    /// The complete input, unchanged, as the agent CLI reports it.
    pub input: Value,
    /// A one-line title for people, derived from the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Present when the input was shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<Truncated>,
}

wire_enum! {
    /// The stream of a piece of output. An unknown value means stdout.
    pub enum OutputStream, unknown => Stdout {
        /// Standard output.
        Stdout = "stdout",
        /// Standard error.
        Stderr = "stderr",
    }
}

/// Payload of `tool_output_delta`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ToolOutputDelta {
    /// The call.
    pub tool_call_id: String,
    /// The next piece of the output.
    pub text: String,
    /// The stream; absent means not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<OutputStream>,
    /// Present when the piece was shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<Truncated>,
}

wire_enum! {
    /// How a call ended.
    pub enum ToolStatus, unknown => Unknown {
        /// It succeeded.
        Ok = "ok",
        /// It failed.
        Error = "error",
        /// Its approval was denied.
        Denied = "denied",
        /// The run was cancelled before the call ended.
        Cancelled = "cancelled",
        /// The agent CLI reported no status, or the run ended before the call.
        Unknown = "unknown",
    }
}

/// Payload of `tool_result`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// The call.
    pub tool_call_id: String,
    /// How it ended.
    pub status: ToolStatus,
    /// The complete output, unchanged: text, or the agent CLI's own structure.
    pub output: Value,
    /// The exit code of a command, as the agent CLI reports it; absent means not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Present when the output was shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<Truncated>,
}

wire_enum! {
    /// The operation on a file. An unknown value means an edit.
    pub enum FileOp, unknown => Edit {
        /// The file was created.
        Create = "create",
        /// The file was changed.
        Edit = "edit",
        /// The file was deleted.
        Delete = "delete",
        /// The file was renamed.
        Rename = "rename",
    }
}

wire_enum! {
    /// Who detected the change. An unknown value means observed.
    pub enum FileChangeSource, unknown => Observed {
        /// The agent CLI reported it.
        Native = "native",
        /// The adapter or the host detected it on disk.
        Observed = "observed",
    }
}

/// Payload of `file_change`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FileChange {
    /// The absolute path of the file.
    pub path: String,
    /// The operation.
    pub op: FileOp,
    /// With `rename`: the absolute old path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Who detected it.
    pub source: FileChangeSource,
    /// A unified diff, if the agent CLI provides one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// The id of the tool call that changed the file; absent means not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// Present when the diff was shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<Truncated>,
}

/// Payload of `approval_requested`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRequested {
    /// The id of the approval, unique within the run.
    pub approval_id: String,
    /// What the agent requests approval for.
    pub category: ApprovalCategory,
    /// How much harm a wrong decision can do.
    pub risk: ApprovalRisk,
    /// A one-line summary for people: what exactly would happen.
    pub summary: String,
    /// The id of the tool call that waits; absent means not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The input of the tool call, unchanged, to show or edit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// The decisions that the agent CLI offers; at least one.
    pub options: Vec<ApprovalOption>,
    /// How long the request waits, from this event on, before it is denied by `timeout`; null means without limit.
    pub deadline_ms: Option<u64>,
}

/// Payload of `approval_resolved`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalResolved {
    /// The approval.
    pub approval_id: String,
    /// The decision: that of `run/respond`, or a denial.
    pub outcome: ApprovalOutcome,
    /// Who decided: `by` of `run/respond`, whose default is `user`.
    pub by: ApprovalResolver,
}

/// Payload of `subagent_started`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SubagentStarted {
    /// The id of the subagent.
    pub subagent_id: String,
    /// The title of the subagent's task.
    pub title: String,
    /// The tool call that started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_tool_call_id: Option<String>,
}

/// Payload of `subagent_stopped`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SubagentStopped {
    /// The subagent.
    pub subagent_id: String,
    /// The title of the subagent's task.
    pub title: String,
    /// The tool call that started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_tool_call_id: Option<String>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<ToolStatus>,
    /// A summary of what the subagent did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}
