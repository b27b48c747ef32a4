//! Types of the server's events, with the fields that are used. Parts are in `crate::native`.

use crate::native::{MessageInfo, NamedError, Part, SessionInfo};
use serde::Deserialize;
use serde_json::Value;

/// The envelope of every event.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ServerEvent {
    /// `message.part.updated`, `session.status`, ….
    #[serde(rename = "type")]
    pub kind: String,
    /// Its content.
    pub properties: Value,
}

/// The field that names the session of an event.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Owner {
    /// The session.
    #[serde(rename = "sessionID")]
    pub session_id: Option<String>,
}

/// Properties of `message.updated`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct MessageUpdated {
    /// The message.
    pub info: MessageInfo,
}

/// Properties of `message.part.updated`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct PartUpdated {
    /// The part.
    pub part: Part,
}

/// Properties of `message.part.delta` and `message.part.removed`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct PartChange {
    /// The part.
    #[serde(rename = "partID")]
    pub part_id: String,
    /// The field that grows; `text` for text and for reasoning.
    pub field: String,
    /// The added text.
    pub delta: String,
}

/// Properties of `session.created`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct SessionCreated {
    /// The session.
    pub info: SessionInfo,
}

/// Properties of `session.status`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct SessionStatus {
    /// Its status.
    pub status: Status,
}

/// The status of a session.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Status {
    /// `busy`, `idle`, `retry`.
    #[serde(rename = "type")]
    pub kind: String,
    /// With `retry`: the number of the attempt.
    pub attempt: u32,
    /// With `retry`: the reason.
    pub message: String,
    /// With `retry`: the time of the next attempt, in milliseconds since 1970.
    pub next: Option<f64>,
}

/// Properties of `session.error`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct SessionError {
    /// The error.
    pub error: Option<NamedError>,
}

/// Properties of `permission.asked`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct PermissionAsked {
    /// The id of the request.
    pub id: String,
    /// `edit`, `bash`, ….
    pub permission: String,
    /// Files or commands.
    pub patterns: Vec<String>,
    /// Details: the command, the file, the diff.
    pub metadata: Value,
    /// The waiting tool call.
    pub tool: Option<AskingTool>,
}

/// The waiting tool call.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct AskingTool {
    /// Its id.
    #[serde(rename = "callID")]
    pub call_id: String,
}

/// Properties of `permission.replied`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct PermissionReplied {
    /// The id of the request.
    #[serde(rename = "requestID")]
    pub request_id: String,
    /// `once`, `always`, `reject`.
    pub reply: String,
}

/// Properties of `question.asked`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct QuestionAsked {
    /// The id of the request.
    pub id: String,
    /// The questions.
    pub questions: Vec<Question>,
}

/// One question.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Question {
    /// The text.
    pub question: String,
}
