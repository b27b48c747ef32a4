//! What a request says, whatever its wire format. Reading each format is in `wire`.

use serde_json::Value;

use super::tools::Tool;

/// A request for an answer.
#[derive(Debug, Clone, Default)]
pub(super) struct Conversation {
    /// The model asked for.
    pub(super) model: String,
    /// Whether the answer is to come piece by piece.
    pub(super) stream: bool,
    /// What the system or the developer said.
    pub(super) system: String,
    /// What was said and done so far.
    pub(super) entries: Vec<Entry>,
    /// What the model may call.
    pub(super) tools: Vec<Tool>,
    /// The schema of the answer when it must be JSON; null when any JSON will do.
    pub(super) json_schema: Option<Value>,
    /// How many tokens the answer may have.
    pub(super) output_limit: Option<u64>,
}

/// One thing in a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Entry {
    /// A text of the user.
    User(String),
    /// Something the model said or called.
    Assistant,
    /// What a tool gave.
    ToolResult,
}

/// Phrases of requests that agent CLIs make on the side, in lower case.
const SIDE_PHRASES: [&str; 6] = [
    "title generator",
    "generate a title",
    "generate a short title",
    "generate a concise",
    "new conversation topic",
    "summarize the user's primary intent",
];
/// Instructions of agents that an agent CLI sends out by itself, tools and all, in lower case.
const SIDE_AGENTS: [&str; 1] = ["memory extraction subagent"];
/// The instructions of an agent are longer than those of a side call.
const SIDE_SYSTEM_LIMIT: usize = 8_000;

impl Conversation {
    /// Whether the agent CLI asks this beside the user's run: a title, a topic, a probe of the
    /// quota, a choice between models, notes for later. Such a call is answered, never played with.
    pub(super) fn is_side_call(&self) -> bool {
        if SIDE_AGENTS.iter().any(|phrase| self.system.to_lowercase().contains(phrase)) {
            return true;
        }
        self.tools.is_empty()
            && (self.json_schema.is_some()
                || self.output_limit.is_some_and(|limit| limit <= 1)
                || self.asks_for_a_title())
    }

    fn asks_for_a_title(&self) -> bool {
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

/// The text of a field that is a string or a list of parts with a `text` each.
pub(super) fn texts(content: &Value) -> Vec<String> {
    match content {
        Value::String(text) => vec![text.clone()],
        Value::Array(parts) => parts.iter().filter_map(part_text).collect(),
        _ => Vec::new(),
    }
}

/// The text of one part.
pub(super) fn part_text(part: &Value) -> Option<String> {
    part.as_str().or_else(|| part["text"].as_str()).map(str::to_owned)
}

/// The items of a field that must be a list.
///
/// # Errors
/// With a text for the caller that names the field.
pub(super) fn list<'a>(body: &'a Value, field: &str) -> Result<&'a Vec<Value>, String> {
    body[field].as_array().ok_or_else(|| format!("{field}: field required, a list"))
}

/// The items of a field that may be absent.
pub(super) fn optional_list<'a>(body: &'a Value, field: &str) -> &'a [Value] {
    body[field].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The model of a request that names it in its body.
pub(super) fn model(body: &Value) -> String {
    body["model"].as_str().unwrap_or("fake-model").to_owned()
}
