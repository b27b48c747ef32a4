//! A native session on disk.

use serde::{Deserialize, Serialize};

/// One native session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionSummary {
    /// The session id, as used by `run/start.session.id`.
    pub id: String,
    /// The working folder of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The title or the first prompt, shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The time of the last change, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<u64>,
    /// The model that was last used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}
