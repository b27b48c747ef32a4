//! What agent and person say: messages, thoughts, questions, plans, pictures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::JsonObject;
use crate::wire_enum::wire_enum;

/// How much of a payload was cut to keep a line under the limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Truncated {
    /// Bytes that were left out.
    pub bytes: u64,
}

/// Payload of `user_message`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserMessage {
    /// What was said.
    pub text: String,
}

/// Payload of `message_started`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageStarted {
    /// Names the message.
    pub message_id: String,
}

/// Payload of `text_delta`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextDelta {
    /// The message.
    pub message_id: String,
    /// The next piece.
    pub text: String,
    /// The piece was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<Truncated>,
}

/// Payload of `message_stopped`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageStopped {
    /// The message.
    pub message_id: String,
}

/// Payload of `message_discarded`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageDiscarded {
    /// The message, whose text no longer counts.
    pub message_id: String,
}

/// Payload of `thinking_started`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThinkingStarted {
    /// Names the thought.
    pub thinking_id: String,
}

/// Payload of `thinking_delta`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThinkingDelta {
    /// The thought.
    pub thinking_id: String,
    /// The next piece.
    pub text: String,
    /// The piece was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<Truncated>,
}

/// Payload of `thinking_stopped`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThinkingStopped {
    /// The thought.
    pub thinking_id: String,
}

/// Payload of `input_requested`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InputRequested {
    /// Names the question.
    pub question_id: String,
    /// The question.
    pub text: String,
    /// What the answer must look like; absent means text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<JsonObject>,
}

wire_enum! {
    /// How far a thing to do is. An unknown word is pending.
    pub enum PlanStatus, unknown => Pending {
        /// Not begun.
        Pending = "pending",
        /// Begun.
        InProgress = "in_progress",
        /// Done.
        Completed = "completed",
    }
}

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanEntry {
    /// What.
    pub content: String,
    /// How far.
    pub status: PlanStatus,
}

/// Payload of `plan`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// All of it; each plan replaces the last.
    pub entries: Vec<PlanEntry>,
}

/// Payload of `image`: by value or by path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Image {
    /// Such as `image/png`.
    pub mime: String,
    /// Base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// A file, absolute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}
