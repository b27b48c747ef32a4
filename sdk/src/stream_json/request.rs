//! Requests of the agent CLI.

use serde::Deserialize;
use serde_json::Value;

/// A line of type `control_request` or `control_cancel_request`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ControlRequestLine {
    /// Its id.
    pub request_id: String,
    /// The request.
    pub request: ControlRequest,
}

/// The content of a request.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ControlRequest {
    /// `can_use_tool`, `hook_callback`, `mcp_message`, ….
    pub subtype: String,
    /// The tool.
    pub tool_name: String,
    /// Its input.
    pub input: Value,
    /// The call.
    pub tool_use_id: Option<String>,
    /// A path outside the allowed folders.
    pub blocked_path: Option<String>,
    /// Suggested rules that avoid further requests of this kind.
    pub permission_suggestions: Vec<Value>,
}
