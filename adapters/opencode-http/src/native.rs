//! The server's events, as far as they are used. Their parts are the wire's.

use od_sdk::parts::native::{MessageInfo, NamedError, Part, SessionInfo};
use serde::Deserialize;
use serde_json::Value;

/// What every event has.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ServerEvent {
    /// `message.part.updated`, `session.status`, ….
    #[serde(rename = "type")]
    pub kind: String,
    /// What it is about.
    pub properties: Value,
}

/// What says whose an event is.
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
    /// What grows; texts and thoughts both call it `text`.
    pub field: String,
    /// By how much.
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
    /// What it does.
    pub status: Status,
}

/// What a session does.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Status {
    /// `busy`, `idle`, `retry`.
    #[serde(rename = "type")]
    pub kind: String,
    /// With `retry`: which.
    pub attempt: u32,
    /// With `retry`: why.
    pub message: String,
    /// With `retry`: when, in milliseconds since 1970.
    pub next: Option<f64>,
}

/// Properties of `session.error`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct SessionError {
    /// What went wrong.
    pub error: Option<NamedError>,
}

/// Properties of `permission.asked`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct PermissionAsked {
    /// Names the question.
    pub id: String,
    /// `edit`, `bash`, ….
    pub permission: String,
    /// Which files or commands.
    pub patterns: Vec<String>,
    /// More: the command, the file, the diff.
    pub metadata: Value,
    /// The call that waits.
    pub tool: Option<AskingTool>,
}

/// The call that waits.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct AskingTool {
    /// The model's name for it.
    #[serde(rename = "callID")]
    pub call_id: String,
}

/// Properties of `permission.replied`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct PermissionReplied {
    /// The question.
    #[serde(rename = "requestID")]
    pub request_id: String,
    /// `once`, `always`, `reject`.
    pub reply: String,
}

/// Properties of `question.asked`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct QuestionAsked {
    /// Names the questions.
    pub id: String,
    /// What is asked.
    pub questions: Vec<Question>,
}

/// One of them.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Question {
    /// In words.
    pub question: String,
}
