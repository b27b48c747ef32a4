//! Agents: what is there, what it can do, and which one is active.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::wire_enum::wire_enum;
use crate::{AuthStatus, Capabilities, ErrorKind, Evidence, TestedVersion};

/// Parameters of `agents/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListAgentsParams {}

/// Parameters of `agents/refresh`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RefreshAgentsParams {
    /// Only this one; absent means all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

/// Result of `agents/list` and `agents/refresh`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListAgentsResult {
    /// In the order of their ids.
    pub agents: Vec<AgentStatus>,
    /// The agent of runs that name none, when one was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active: Option<String>,
    /// Some are being looked at again right now: ask once more to see what came of it.
    #[serde(default)]
    pub refreshing: bool,
}

/// Parameters of `agents/get`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetAgentParams {
    /// The agent.
    pub agent: String,
}

/// Why an agent cannot be used right now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentProblem {
    /// The kind.
    pub kind: ErrorKind,
    /// What was tried, on what, why it failed.
    pub message: String,
    /// What to type or change now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

/// One agent: an adapter and what it found on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentStatus {
    /// What `runs/start.agent` takes.
    pub id: String,
    /// For people.
    pub display_name: String,
    /// Who makes the adapter.
    pub vendor: String,
    /// The adapter's version.
    pub adapter_version: String,
    /// The adapter's executable.
    pub adapter_path: String,
    /// A run would be let in, as far as can be told.
    pub ready: bool,
    /// It is the one that runs without a name get.
    #[serde(default)]
    pub active: bool,
    /// The agent CLI is there and not too old.
    pub installed: bool,
    /// The agent CLI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Its version, as it states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Against the version the adapter was tested with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tested_version: Option<TestedVersion>,
    /// The state of the login; absent when it could not be looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth: Option<AuthStatus>,
    /// The agent CLI's settings folder, when it exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_dir: Option<String>,
    /// Where it reads skills from, when it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skills_dir: Option<String>,
    /// What works with the version that is installed.
    pub capabilities: Capabilities,
    /// What was looked at, and what it showed.
    #[serde(default)]
    pub evidence: Vec<Evidence>,
    /// Why it cannot be used right now; absent when it can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<AgentProblem>,
    /// When it was looked at, in milliseconds since 1970; absent means never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detected_at: Option<u64>,
    /// It may no longer be so: something it stands on has changed since then, or the last look failed.
    /// It is looked at again, at once or after a while.
    #[serde(default)]
    pub stale: bool,
}

/// Parameters of `agents/setActive`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SetActiveAgentParams {
    /// The agent.
    pub agent: String,
}

/// Result of `agents/setActive`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SetActiveAgentResult {
    /// The agent that is active now.
    pub active: String,
    /// What an app can offer with it.
    pub features: AgentFeatures,
}

/// Parameters of `agents/models`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListAgentModelsParams {
    /// The agent.
    pub agent: String,
}

/// Parameters of `agents/quota`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetAgentQuotaParams {
    /// The agent.
    pub agent: String,
}

/// Parameters of `agents/health`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetAgentHealthParams {
    /// The agent.
    pub agent: String,
}

/// A skill that an app offers, and what it needs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillRequirements {
    /// Its name.
    pub name: String,
    /// The capabilities it needs, in the words of [`Capabilities`]; none means that every agent will do.
    pub capabilities: Vec<String>,
}

/// Parameters of `agents/features`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct GetAgentFeaturesParams {
    /// The agent; absent means the active one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Skills to judge as well.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<SkillRequirements>,
}

wire_enum! {
    /// A feature of an app that an agent may or may not carry. An unknown word is a skill.
    pub enum Feature, unknown => Skill {
        /// Click on a part of the result and ask for a change of just that.
        CommentMode = "comment_mode",
        /// What the agent's tools do, while they do it.
        ToolFeed = "tool_feed",
        /// The answer while it is written.
        LiveText = "live_text",
        /// Go on with an interrupted run.
        Resume = "resume",
        /// Try another way from the same point.
        Fork = "fork",
        /// Say something to a run that is going on.
        Steer = "steer",
        /// Ask before the agent does something.
        Approvals = "approvals",
        /// Choose the model.
        ModelPicker = "model_picker",
        /// Choose how hard it thinks.
        EffortPicker = "effort_picker",
        /// Show what a run costs.
        CostMeter = "cost_meter",
        /// Show what is left of an allowance.
        QuotaMeter = "quota_meter",
        /// Pictures in the prompt.
        Images = "images",
        /// Files in the prompt.
        Attachments = "attachments",
        /// The agent's own sessions, listed and read.
        SessionHistory = "session_history",
        /// A skill of the app.
        Skill = "skill",
    }
}

/// Whether a feature can be offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeatureGate {
    /// The feature.
    pub feature: Feature,
    /// With `skill`: which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// It can be offered.
    pub enabled: bool,
    /// The capabilities it needs.
    pub requires: Vec<String>,
    /// Those of them that the agent lacks.
    #[serde(default)]
    pub missing: Vec<String>,
    /// Why it cannot be offered, in a sentence to show to a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What to offer instead, in a sentence to show to a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
}

/// Result of `agents/features`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentFeatures {
    /// The agent.
    pub agent: String,
    /// Every feature, then every skill that was asked about.
    pub gates: Vec<FeatureGate>,
}
