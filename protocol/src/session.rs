//! Native sessions on disk: listed and read, never written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Event;

/// Parameters of `sessions/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ListSessionsParams {
    /// Only sessions of this folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// At most so many, the newest first; absent means 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// One native session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionSummary {
    /// What `run/start.session.id` takes.
    pub id: String,
    /// Where it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Its title or first prompt, shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The last change, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<u64>,
    /// The model it last used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// Result of `sessions/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListSessionsResult {
    /// The newest first.
    pub sessions: Vec<SessionSummary>,
}

/// Parameters of `sessions/read`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadSessionsParams {
    /// The session.
    pub id: String,
    /// Where it ran, for agent CLIs that keep sessions by folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
}

/// Result of `sessions/read`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadSessionsResult {
    /// What it is.
    pub session: SessionSummary,
    /// What happened, in the words of a run's events; `user_message` included.
    pub events: Vec<Event>,
    /// Older events were left out to keep the reply under the line limit.
    #[serde(default)]
    pub truncated: bool,
}
