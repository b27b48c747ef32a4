//! The capabilities of an adapter. A capability is an object; absent means unsupported; unknown ones are ignored.

use serde::{Deserialize, Serialize};

use crate::Effort;

/// A capability without details.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Marker {}

/// What an adapter declares in its manifest and repeats in `initialize`. `adapter/detect` may
/// report fewer capabilities for the installed version of the agent CLI.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Capabilities {
    /// `run/start` and `run/cancel`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Marker>,
    /// `run/input` to a running run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<InputCapability>,
    /// `approval_requested` and `run/respond`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approvals: Option<ApprovalsCapability>,
    /// `models/list` and `run/start.model`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub models: Option<Marker>,
    /// `quota/get`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quota: Option<Marker>,
    /// `sessions/list` and `sessions/read`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions: Option<Marker>,
    /// `run/start.session.mode = resume`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resume: Option<ResumeCapability>,
    /// `run/start.session.mode = fork`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fork: Option<Marker>,
    /// `run/start.effort`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<EffortCapability>,
    /// `run/start.thinkingBudgetTokens`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking_budget: Option<Marker>,
    /// Emits `thinking_*` events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking: Option<Marker>,
    /// Emits `tool_*` events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Marker>,
    /// Emits `text_delta` while the model generates, not only whole messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_deltas: Option<Marker>,
    /// Emits native `file_change` events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_changes: Option<Marker>,
    /// Emits `usage`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<UsageCapability>,
    /// Emits `subagent_*`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subagents: Option<Marker>,
    /// `run/start.prompt.system`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<Marker>,
    /// `run/start.prompt.attachments`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attachments: Option<Marker>,
    /// `run/start.prompt.images`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub images: Option<Marker>,
    /// `run/start.skills`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skills: Option<Marker>,
    /// `run/start.addDirs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub add_dirs: Option<Marker>,
    /// `run/start.allowedTools` and `deniedTools`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_lists: Option<Marker>,
    /// `run/start.permissionMode`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_modes: Option<PermissionModesCapability>,
    /// `run/start.policy`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<Marker>,
    /// `run/start.mcpServers`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp_servers: Option<Marker>,
    /// `run/start.outputSchema`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Marker>,
    /// `run/start.maxTurns`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<Marker>,
}

/// Details of `input`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct InputCapability {
    /// Input can reach the running turn; otherwise it is queued for the next one.
    pub steer: bool,
}

/// Details of `approvals`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ApprovalsCapability {
    /// Supports `run/respond.updatedInput`.
    pub edit_input: bool,
}

/// Details of `resume`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ResumeCapability {
    /// A session can be resumed only from the folder it was started in.
    pub same_cwd_only: bool,
}

/// Details of `effort`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct EffortCapability {
    /// The levels that can be requested.
    pub levels: Vec<Effort>,
}

/// Details of `usage`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct UsageCapability {
    /// The agent CLI reports a cost in US dollars.
    pub cost: bool,
}

/// Details of `permissionModes`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct PermissionModesCapability {
    /// The agent CLI's own names, the strictest first.
    pub modes: Vec<String>,
}
