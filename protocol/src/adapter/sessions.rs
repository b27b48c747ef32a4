//! `sessions/list` and `sessions/read`: native sessions on disk, read only.

use serde::{Deserialize, Serialize};

use crate::{Event, SessionSummary};

/// Parameters of `sessions/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ListSessionsParams {
    /// Only sessions of this folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The most sessions to return, newest first; absent means 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Result of `sessions/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ListSessionsResult {
    /// Newest first.
    pub sessions: Vec<SessionSummary>,
}

/// Parameters of `sessions/read`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReadSessionParams {
    /// The session.
    pub id: String,
    /// The working folder of the session, for agent CLIs that store sessions by folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
}

/// Result of `sessions/read`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReadSessionResult {
    /// The session.
    pub session: SessionSummary,
    /// The content of the session as events of a run, including `user_message`.
    pub events: Vec<Event>,
    /// Older events are omitted to keep the response under the line limit.
    #[serde(default)]
    pub truncated: bool,
}
