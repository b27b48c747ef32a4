//! Line types of a rollout file. Unknown fields are ignored, missing ones have a default.

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
    /// The payload.
    pub(super) payload: Payload,
}

/// The payload: the union of the fields of all line types.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Payload {
    /// For `response_item` and `event_msg`: the subtype.
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) id: Option<String>,
    /// For `session_meta` and `turn_context`.
    pub(super) cwd: Option<String>,
    /// For `turn_context`.
    pub(super) model: Option<String>,
    /// For a message: `user`, `assistant`, ….
    pub(super) role: String,
    /// For a message.
    pub(super) content: Value,
    /// For a thought.
    pub(super) summary: Value,
    /// For a call.
    pub(super) name: String,
    /// For a call of an MCP server's tool.
    pub(super) namespace: Option<String>,
    /// For a call: JSON as text.
    pub(super) arguments: Option<String>,
    /// For a call whose input is text.
    pub(super) input: Option<String>,
    /// For a call and its output.
    pub(super) call_id: String,
    /// For the output of a call.
    pub(super) output: Value,
    /// For `user_message`, which older versions write.
    pub(super) message: Option<String>,
    /// For `item_completed`.
    pub(super) item: Value,
}

impl Line {
    /// The text of a user message. The copy in `response_item` is not used: there
    /// the CLI also adds its own texts with the role `user`.
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

/// Returns the text of a content, for any type of its parts.
pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Object(object) => object.get("content").map(text_of).unwrap_or_default(),
        _ => String::new(),
    }
}
