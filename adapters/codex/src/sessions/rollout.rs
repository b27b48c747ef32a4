//! The lines of a rollout file, as far as they are used.

use od_sdk::session_files::SessionLine;
use od_sdk::text::first_line;
use serde::Deserialize;
use serde_json::Value;

/// One line.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Line {
    /// `session_meta`, `turn_context`, `response_item`, `event_msg`, ….
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// What it says.
    pub(super) payload: Payload,
}

/// What a line says: few fields each, none of them in conflict.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Payload {
    /// With `response_item` and `event_msg`: which.
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) id: Option<String>,
    /// With `session_meta` and `turn_context`.
    pub(super) cwd: Option<String>,
    /// With `turn_context`.
    pub(super) model: Option<String>,
    /// With a message: who says it.
    pub(super) role: String,
    /// With a message.
    pub(super) content: Value,
    /// With a thought.
    pub(super) summary: Value,
    /// With a call.
    pub(super) name: String,
    /// With a call of an MCP server's tool.
    pub(super) namespace: Option<String>,
    /// With a call: JSON as text.
    pub(super) arguments: Option<String>,
    /// With a call whose input is text.
    pub(super) input: Option<String>,
    /// With a call and its output.
    pub(super) call_id: String,
    /// With a call's output.
    pub(super) output: Value,
    /// With `user_message`, in versions before 0.166 or so.
    pub(super) message: Option<String>,
    /// With `item_completed`.
    pub(super) item: Value,
}

impl Line {
    /// What a person said. The model's own copy of it (`response_item`) stands among texts that the
    /// CLI wrote in the person's name, so it is not taken.
    pub(super) fn user_text(&self) -> Option<String> {
        if self.kind != "event_msg" {
            return None;
        }
        let text = match self.payload.kind.as_str() {
            "user_message" => self.payload.message.clone()?,
            "item_completed" if self.payload.item["type"] == "UserMessage" => {
                text_of(&self.payload.item["content"])
            }
            _ => return None,
        };
        Some(text).filter(|text| !text.is_empty())
    }
}

impl SessionLine for Line {
    fn cwd(&self) -> Option<String> {
        self.payload.cwd.clone().filter(|_| self.kind == "session_meta")
    }

    fn model(&self) -> Option<String> {
        self.payload.model.clone().filter(|_| self.kind == "turn_context")
    }

    fn title(&self) -> Option<String> {
        self.user_text().map(|text| first_line(&text))
    }
}

/// The texts of a content, whatever its pieces are called.
pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(pieces) => {
            let texts = pieces.iter().filter_map(|piece| piece.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Object(object) => object.get("content").map(text_of).unwrap_or_default(),
        _ => String::new(),
    }
}
