//! A request, independent of its wire format. `wire` parses it.

use serde_json::Value;

use super::tools::Tool;

/// A request for an answer.
#[derive(Debug, Clone, Default)]
pub(super) struct Conversation {
    pub(super) model: String,
    /// Whether the answer is streamed.
    pub(super) stream: bool,
    /// The system or developer messages.
    pub(super) system: String,
    /// The conversation so far.
    pub(super) entries: Vec<Entry>,
    pub(super) tools: Vec<Tool>,
    /// The schema of a JSON answer; null allows any JSON.
    pub(super) json_schema: Option<Value>,
    /// The maximum number of tokens of the answer.
    pub(super) output_limit: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Entry {
    User(String),
    /// A text or a call of the model.
    Assistant,
    ToolResult,
}

/// Phrases of side calls of agent CLIs, in lower case.
const SIDE_PHRASES: [&str; 6] = [
    "title generator",
    "generate a title",
    "generate a short title",
    "generate a concise",
    "new conversation topic",
    "summarize the user's primary intent",
];
/// Phrases of background agents that an agent CLI starts by itself, in lower case.
const SIDE_AGENTS: [&str; 1] = ["memory extraction subagent"];
/// The instructions of an agent are longer than those of a side call.
const SIDE_SYSTEM_LIMIT: usize = 8_000;

impl Conversation {
    /// Whether this is a side call: a title, a topic, a quota probe, a choice of a model, notes. Side
    /// calls get a plain answer, never a scenario.
    pub(super) fn is_side_call(&self) -> bool {
        if SIDE_AGENTS.iter().any(|phrase| self.system.to_lowercase().contains(phrase)) {
            return true;
        }
        self.tools.is_empty()
            && (self.json_schema.is_some()
                || self.output_limit.is_some_and(|limit| limit <= 1)
                || self.requests_title())
    }

    fn requests_title(&self) -> bool {
        let has_phrase = |text: &str| {
            let lowered = text.to_lowercase();
            SIDE_PHRASES.iter().any(|phrase| lowered.contains(phrase))
        };
        let in_system = self.system.len() <= SIDE_SYSTEM_LIMIT && has_phrase(&self.system);
        in_system
            || self.entries.iter().any(|entry| match entry {
                Entry::User(text) => !text.contains("SCN:") && has_phrase(text),
                Entry::Assistant | Entry::ToolResult => false,
            })
    }
}

/// The texts of a field: a string, or a list of parts with a `text`.
pub(super) fn texts(content: &Value) -> Vec<String> {
    match content {
        Value::String(text) => vec![text.clone()],
        Value::Array(parts) => parts.iter().filter_map(part_text).collect(),
        _ => Vec::new(),
    }
}

pub(super) fn part_text(part: &Value) -> Option<String> {
    part.as_str().or_else(|| part["text"].as_str()).map(str::to_owned)
}

/// The items of a required list.
///
/// # Errors
/// A message that names the field.
pub(super) fn list<'a>(body: &'a Value, field: &str) -> Result<&'a Vec<Value>, String> {
    body[field].as_array().ok_or_else(|| format!("{field}: field required, a list"))
}

pub(super) fn optional_list<'a>(body: &'a Value, field: &str) -> &'a [Value] {
    body[field].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The model of a request that names it in its body.
pub(super) fn model(body: &Value) -> String {
    body["model"].as_str().unwrap_or("fake-model").to_owned()
}
