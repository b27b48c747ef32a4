//! An agent's native sessions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of `sessions/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListAgentSessionsParams {
    /// The agent.
    pub agent: String,
    /// Only sessions of this folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// At most so many, the newest first; absent means 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Parameters of `sessions/read`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadAgentSessionParams {
    /// The agent.
    pub agent: String,
    /// The session.
    pub id: String,
    /// Where it ran, for agent CLIs that keep sessions by folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
}
