//! Types of the lines of `opencode run --format json`. Parts are in `crate::native`.

use crate::native::{NamedError, Part};
use serde::Deserialize;

/// One line.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Line {
    /// `step_start`, `text`, `reasoning`, `tool_use`, `step_finish`, `error`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The session.
    #[serde(rename = "sessionID")]
    pub session_id: String,
    /// With all but `error`.
    pub part: Option<Part>,
    /// With `error`.
    pub error: Option<NamedError>,
}
