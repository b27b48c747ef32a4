//! Messages, thinking, questions, plans and images.

use serde::{Deserialize, Serialize};

use crate::JsonObject;
use crate::wire_enum::wire_enum;

/// How much of a payload was removed to keep a line under the limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Truncated {
    /// The number of UTF-8 bytes that were removed from the payload; one that is not text counts as its JSON text.
    pub bytes: u64,
}

/// Payload of `user_message`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UserMessage {
    /// The text.
    pub text: String,
}

/// Payload of `message_started`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MessageStarted {
    /// The id of the message, unique within the run.
    pub message_id: String,
}

/// Payload of `text_delta`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TextDelta {
    /// The open message that the piece belongs to.
    pub message_id: String,
    /// The next piece, byte for byte as the agent CLI sent it.
    pub text: String,
    /// Present when the piece was shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<Truncated>,
}

/// Payload of `message_stopped`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MessageStopped {
    /// The message.
    pub message_id: String,
}

/// Payload of `message_discarded`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MessageDiscarded {
    /// The message whose text is no longer valid.
    pub message_id: String,
}

/// Payload of `thinking_started`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ThinkingStarted {
    /// The id of the thinking block, unique within the run.
    pub thinking_id: String,
}

/// Payload of `thinking_delta`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ThinkingDelta {
    /// The open thinking block that the piece belongs to.
    pub thinking_id: String,
    /// The next piece, byte for byte as the agent CLI sent it.
    pub text: String,
    /// Present when the piece was shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<Truncated>,
}

/// Payload of `thinking_stopped`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ThinkingStopped {
    /// The thinking block.
    pub thinking_id: String,
}

/// Payload of `input_requested`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct InputRequested {
    /// The id of the question.
    pub question_id: String,
    /// The question.
    pub text: String,
    /// A JSON Schema of the answer; absent means text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<JsonObject>,
}

wire_enum! {
    /// The status of a plan entry. An unknown value means pending.
    pub enum PlanStatus, unknown => Pending {
        /// Not started.
        Pending = "pending",
        /// Started.
        InProgress = "in_progress",
        /// Done.
        Completed = "completed",
    }
}

/// One entry of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlanEntry {
    /// The task.
    pub content: String,
    /// The status.
    pub status: PlanStatus,
}

/// Payload of `plan`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// All entries; each plan replaces the previous one.
    pub entries: Vec<PlanEntry>,
}

/// Payload of `image`: by value or by path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Image {
    /// The media type, such as `image/png`.
    pub mime: String,
    /// The content in Base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// The absolute path of a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}
