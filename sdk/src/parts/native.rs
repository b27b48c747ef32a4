//! The words themselves, as far as they are used. Nothing here decides anything: fields that are
//! not named are ignored, missing ones have a default.

use serde::Deserialize;
use serde_json::Value;

/// A piece of a message.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Part {
    /// `text`, `reasoning`, `tool`, `step-start`, `step-finish`, ….
    #[serde(rename = "type")]
    pub kind: String,
    /// Names the part.
    pub id: String,
    /// The message it belongs to.
    #[serde(rename = "messageID")]
    pub message_id: String,
    /// The session it belongs to.
    #[serde(rename = "sessionID")]
    pub session_id: String,
    /// With `text` and `reasoning`: all of it so far.
    pub text: String,
    /// When it began and ended.
    pub time: Option<PartTime>,
    /// With `text`: written by the agent CLI, not by the model.
    pub synthetic: bool,
    /// With `tool`: its name.
    pub tool: String,
    /// With `tool`: the model's name for the call.
    #[serde(rename = "callID")]
    pub call_id: String,
    /// With `tool`: how far it is.
    pub state: Option<ToolState>,
    /// With `step-finish`: why the model stopped.
    pub reason: Option<String>,
    /// With `step-finish`: what it took.
    pub tokens: Option<Tokens>,
    /// With `step-finish`: what it cost in US dollars.
    pub cost: Option<f64>,
}

impl Part {
    /// The part will not change any more.
    pub fn is_complete(&self) -> bool {
        self.time.as_ref().is_some_and(|time| time.end.is_some())
    }
}

/// When a part began and ended, in milliseconds since 1970.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct PartTime {
    /// Absent while it grows.
    pub end: Option<f64>,
}

/// How far a tool call is.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct ToolState {
    /// `pending`, `running`, `completed`, `error`.
    pub status: String,
    /// What it was asked to do.
    pub input: Value,
    /// What it gave.
    pub output: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// One line for people.
    pub title: Option<String>,
    /// The tool's own account: exit code, changed file, live output.
    pub metadata: Value,
}

/// Tokens of one step; none is counted twice.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub struct Tokens {
    /// Sent, without what came from a cache.
    pub input: f64,
    /// Received, without reasoning.
    pub output: f64,
    /// Received as reasoning.
    pub reasoning: f64,
    /// By cache.
    pub cache: CacheTokens,
}

/// Tokens by cache.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub struct CacheTokens {
    /// Read from it.
    pub read: f64,
    /// Written to it.
    pub write: f64,
}

/// An error by name.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct NamedError {
    /// `APIError`, `ContextOverflowError`, `MessageAbortedError`, ….
    pub name: String,
    /// More about it.
    pub data: ErrorData,
}

/// More about an error.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ErrorData {
    /// The text for people.
    pub message: String,
    /// The model's HTTP status, when an answer came.
    pub status_code: Option<u16>,
    /// The headers of that answer.
    pub response_headers: Value,
    /// Its body.
    pub response_body: Option<String>,
    /// Names the line of the agent CLI's log that says more.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
}

/// A message without its parts.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct MessageInfo {
    /// Names the message.
    pub id: String,
    /// The session it belongs to.
    #[serde(rename = "sessionID")]
    pub session_id: String,
    /// `user` or `assistant`.
    pub role: String,
    /// The model, with `assistant`.
    #[serde(rename = "modelID")]
    pub model_id: Option<String>,
    /// Whose model it is.
    #[serde(rename = "providerID")]
    pub provider_id: Option<String>,
    /// When it was begun.
    pub time: MessageTime,
    /// The message of a person that it answers.
    #[serde(rename = "parentID")]
    pub parent_id: Option<String>,
    /// The answer that an output schema asked for.
    pub structured: Option<Value>,
    /// Why it failed.
    pub error: Option<NamedError>,
}

impl MessageInfo {
    /// The model as `run/start` names it.
    pub fn model(&self) -> Option<String> {
        Some(format!("{}/{}", self.provider_id.as_ref()?, self.model_id.as_ref()?))
    }
}

/// When a message was begun.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub struct MessageTime {
    /// Milliseconds since 1970.
    pub created: Option<f64>,
}

/// A session without its messages.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct SessionInfo {
    /// Names the session.
    pub id: String,
    /// The session that started this one as a helper.
    #[serde(rename = "parentID")]
    pub parent_id: Option<String>,
    /// Where it works.
    pub directory: Option<String>,
    /// What it is about.
    pub title: Option<String>,
    /// When it changed last, in milliseconds since 1970; lists have it here.
    pub updated: Option<f64>,
    /// The same, elsewhere.
    pub time: SessionTime,
    /// Who answered last; lists of the command do not have it.
    pub model: Option<SessionModel>,
}

/// Who answers in a session.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct SessionModel {
    /// The model.
    pub id: String,
    /// Whose model it is.
    #[serde(rename = "providerID")]
    pub provider_id: String,
}

/// A message with its parts, as a session keeps it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct SessionMessage {
    /// Whose it is.
    pub info: MessageInfo,
    /// What it says.
    pub parts: Vec<Part>,
}

/// When a session began and changed.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub struct SessionTime {
    /// Milliseconds since 1970.
    pub updated: Option<f64>,
}
