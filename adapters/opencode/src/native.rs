//! OpenCode's own types, with the fields that are used. Unknown fields are ignored, missing ones
//! have a default.

use serde::Deserialize;
use serde_json::Value;

/// A piece of a message.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Part {
    /// `text`, `reasoning`, `tool`, `step-start`, `step-finish`, ….
    #[serde(rename = "type")]
    pub kind: String,
    /// Its id.
    pub id: String,
    /// The message it belongs to.
    #[serde(rename = "messageID")]
    pub message_id: String,
    /// The session it belongs to.
    #[serde(rename = "sessionID")]
    pub session_id: String,
    /// With `text` and `reasoning`: the whole text so far.
    pub text: String,
    /// When it started and ended.
    pub time: Option<PartTime>,
    /// With `text`: written by the agent CLI, not by the model.
    pub synthetic: bool,
    /// With `tool`: its name.
    pub tool: String,
    /// With `tool`: the model's name for the call.
    #[serde(rename = "callID")]
    pub call_id: String,
    /// With `tool`: the state of the call.
    pub state: Option<ToolState>,
    /// With `step-finish`: why the model stopped.
    pub reason: Option<String>,
    /// With `step-finish`: the tokens of the step.
    pub tokens: Option<Tokens>,
    /// With `step-finish`: its cost in US dollars.
    pub cost: Option<f64>,
}

impl Part {
    /// Whether the part will not change any more.
    pub fn is_complete(&self) -> bool {
        self.time.as_ref().is_some_and(|time| time.end.is_some())
    }
}

/// When a part started and ended, in milliseconds since 1970.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct PartTime {
    /// Absent while it grows.
    pub end: Option<f64>,
}

/// The state of a tool call.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct ToolState {
    /// `pending`, `running`, `completed`, `error`.
    pub status: String,
    /// Its input.
    pub input: Value,
    /// Its output.
    pub output: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// One line for people.
    pub title: Option<String>,
    /// Details from the tool: exit code, changed file, output so far.
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

/// An error with a name.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct NamedError {
    /// `APIError`, `ContextOverflowError`, `MessageAbortedError`, ….
    pub name: String,
    /// Its details.
    pub data: ErrorData,
}

/// The details of an error.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ErrorData {
    /// The text for people.
    pub message: String,
    /// The HTTP status of the provider's reply.
    pub status_code: Option<u16>,
    /// The headers of that reply.
    pub response_headers: Value,
    /// Its body.
    pub response_body: Option<String>,
    /// The id of the line in OpenCode's log with the details.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
}

/// A message without its parts.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct MessageInfo {
    /// Its id.
    pub id: String,
    /// The session it belongs to.
    #[serde(rename = "sessionID")]
    pub session_id: String,
    /// `user` or `assistant`.
    pub role: String,
    /// With `assistant`: the model.
    #[serde(rename = "modelID")]
    pub model_id: Option<String>,
    /// Its provider.
    #[serde(rename = "providerID")]
    pub provider_id: Option<String>,
    /// When it was created.
    pub time: MessageTime,
    /// The user's message that it answers.
    #[serde(rename = "parentID")]
    pub parent_id: Option<String>,
    /// The answer that matches the requested output schema.
    pub structured: Option<Value>,
    /// Why it failed.
    pub error: Option<NamedError>,
}

impl MessageInfo {
    /// The model in the form `provider/model`.
    pub fn model(&self) -> Option<String> {
        Some(format!("{}/{}", self.provider_id.as_ref()?, self.model_id.as_ref()?))
    }
}

/// When a message was created.
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
    /// Its id.
    pub id: String,
    /// The session that started this one for a subagent.
    #[serde(rename = "parentID")]
    pub parent_id: Option<String>,
    /// Its working folder.
    pub directory: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// When it changed last, in milliseconds since 1970, in lists.
    pub updated: Option<f64>,
    /// The same, everywhere else.
    pub time: SessionTime,
    /// The last model; absent in lists of the command.
    pub model: Option<SessionModel>,
}

/// The model of a session.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct SessionModel {
    /// The model.
    pub id: String,
    /// Its provider.
    #[serde(rename = "providerID")]
    pub provider_id: String,
}

/// A stored message with its parts.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct SessionMessage {
    /// The message.
    pub info: MessageInfo,
    /// Its parts.
    pub parts: Vec<Part>,
}

/// When a session changed.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub struct SessionTime {
    /// Milliseconds since 1970.
    pub updated: Option<f64>,
}
