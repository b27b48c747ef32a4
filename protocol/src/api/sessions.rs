//! An agent's native sessions.

use serde::{Deserialize, Serialize};

/// Parameters of `sessions/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ListSessionsParams {
    /// The agent.
    pub agent: String,
    /// Only sessions of this folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The most sessions to return, newest first; absent means 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Parameters of `sessions/read`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReadSessionParams {
    /// The agent.
    pub agent: String,
    /// The session.
    pub id: String,
    /// The working folder of the session, for agent CLIs that store sessions by folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
}
