//! Agents: their status, their features, and which one is active.

use serde::{Deserialize, Serialize};

use crate::wire_enum::wire_enum;
use crate::{AuthStatus, Capabilities, ErrorKind, Evidence, TestedVersion};

/// Parameters of `agents/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ListAgentsParams {}

/// Parameters of `agents/refresh`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct RefreshAgentsParams {
    /// Only this agent; absent means all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

/// Result of `agents/list` and `agents/refresh`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ListAgentsResult {
    /// Sorted by id.
    pub agents: Vec<AgentStatus>,
    /// The active agent, used by runs that name none, if one is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active: Option<String>,
    /// Some agents are being refreshed now: call again for the new state.
    #[serde(default)]
    pub refreshing: bool,
}

/// Parameters of `agents/get`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GetAgentParams {
    /// The agent.
    pub agent: String,
}

/// Why an agent cannot be used now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AgentProblem {
    /// The kind.
    pub kind: ErrorKind,
    /// What failed, on what and why.
    pub message: String,
    /// What to type or change to fix it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

/// One agent: an adapter and what it detected on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AgentStatus {
    /// The agent id, as used by `runs/start.agent`.
    pub id: String,
    /// The name for people.
    pub display_name: String,
    /// The publisher of the adapter.
    pub vendor: String,
    /// The adapter's version.
    pub adapter_version: String,
    /// The adapter's executable.
    pub adapter_path: String,
    /// Whether a run would probably be accepted.
    pub ready: bool,
    /// Whether it is the active agent.
    #[serde(default)]
    pub active: bool,
    /// Whether the agent CLI is installed and not too old.
    pub installed: bool,
    /// The agent CLI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The version that the agent CLI reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// How the version compares to the tested one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tested_version: Option<TestedVersion>,
    /// The state of the login; absent when it could not be determined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth: Option<AuthStatus>,
    /// The settings folder of the agent CLI, if it exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_dir: Option<String>,
    /// The folder from which the agent CLI reads skills, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skills_dir: Option<String>,
    /// The capabilities with the installed version.
    pub capabilities: Capabilities,
    /// What was checked, with the results.
    #[serde(default)]
    pub evidence: Vec<Evidence>,
    /// Why it cannot be used now; absent when it can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<AgentProblem>,
    /// The time of the last detection, in milliseconds since 1970; absent means never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detected_at: Option<u64>,
    /// Whether this information may be outdated: something it depends on has changed, or the last
    /// detection failed. The host detects the agent again.
    #[serde(default)]
    pub stale: bool,
}

/// Parameters of `agents/setActive`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SetActiveAgentParams {
    /// The agent.
    pub agent: String,
}

/// Result of `agents/setActive`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SetActiveAgentResult {
    /// The active agent.
    pub active: String,
    /// The features that a client can offer with it.
    pub features: AgentFeatures,
}

/// Parameters of `agents/models`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ListAgentModelsParams {
    /// The agent.
    pub agent: String,
}

/// Parameters of `agents/quota`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GetAgentQuotaParams {
    /// The agent.
    pub agent: String,
}

/// Parameters of `agents/health`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GetAgentHealthParams {
    /// The agent.
    pub agent: String,
}

/// A skill that a client offers, and what it needs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SkillRequirements {
    /// The name.
    pub name: String,
    /// The required capabilities, by their names in [`Capabilities`]; empty means that every agent
    /// is suitable.
    pub capabilities: Vec<String>,
}

/// Parameters of `agents/features`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct GetAgentFeaturesParams {
    /// The agent; absent means the active one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Skills to evaluate as well.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<SkillRequirements>,
}

wire_enum! {
    /// A feature of a client that an agent may support. An unknown value means a skill.
    pub enum Feature, unknown => Skill {
        /// Select a part of the result and request a change of that part.
        CommentMode = "comment_mode",
        /// Show tool calls while they run.
        ToolFeed = "tool_feed",
        /// Show the answer while it is generated.
        LiveText = "live_text",
        /// Continue an interrupted run.
        Resume = "resume",
        /// Continue from the same point in another way.
        Fork = "fork",
        /// Send input to a running run.
        Steer = "steer",
        /// Approve actions of the agent.
        Approvals = "approvals",
        /// Choose the model.
        ModelPicker = "model_picker",
        /// Choose the reasoning effort.
        EffortPicker = "effort_picker",
        /// Show the cost of a run.
        CostMeter = "cost_meter",
        /// Show the remaining quota.
        QuotaMeter = "quota_meter",
        /// Images in the prompt.
        Images = "images",
        /// Files in the prompt.
        Attachments = "attachments",
        /// List and read the agent's own sessions.
        SessionHistory = "session_history",
        /// A skill of the client.
        Skill = "skill",
    }
}

/// Whether a feature can be offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FeatureGate {
    /// The feature.
    pub feature: Feature,
    /// With `skill`: its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether it can be offered.
    pub enabled: bool,
    /// The required capabilities.
    pub requires: Vec<String>,
    /// The required capabilities that the agent lacks.
    #[serde(default)]
    pub missing: Vec<String>,
    /// Why it cannot be offered, in a sentence for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What to offer instead, in a sentence for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
}

/// Result of `agents/features`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AgentFeatures {
    /// The agent.
    pub agent: String,
    /// Every feature, then every requested skill.
    pub gates: Vec<FeatureGate>,
}
