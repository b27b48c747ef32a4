//! The lines of `opencode run --format json`, as far as they are used. Their parts are the wire's.

use od_sdk::parts::native::{NamedError, Part};
use serde::Deserialize;

/// A line.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Line {
    /// `step_start`, `text`, `reasoning`, `tool_use`, `step_finish`, `error`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The session; the first line is the only word about it.
    #[serde(rename = "sessionID")]
    pub session_id: String,
    /// With all but `error`.
    pub part: Option<Part>,
    /// With `error`.
    pub error: Option<NamedError>,
}
