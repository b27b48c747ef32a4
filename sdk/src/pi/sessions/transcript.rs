//! The entries of a session's file → events, in the words of a run. Pure.

use std::collections::{HashMap, HashSet};

use od_protocol::{
    Event, MessageStarted, MessageStopped, TextDelta, ToolCallReady, ToolCallStarted, ToolResult,
    ToolStatus, UserMessage,
};
use serde::Deserialize;
use serde_json::Value;

use crate::pi::native::{Block, Message};
use crate::pi::words::{blocks, kind, mcp_server, model_id, text_of, title};
use crate::session_files::{SessionLine, whole_thought};
use crate::wording::first_line;

/// One entry. Entries of other types have few of these.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Entry {
    /// `session`, `message`, `model_change`, `context_edit`, ….
    #[serde(rename = "type")]
    kind: String,
    /// With `session`: the session's.
    id: String,
    parent_id: Option<String>,
    /// With `session`: where it runs.
    cwd: Option<String>,
    message: Option<Message>,
    /// With `model_change` in pi.
    provider: Option<String>,
    model_id: Option<String>,
    /// With `model_change` in omp.
    model: Option<String>,
    /// With `context_edit`: the entry that is replaced, by nothing after a retry.
    target_id: Option<String>,
    replacement: Option<Value>,
    /// With `session_info` in pi and `title` in omp: what the person called it.
    name: Option<String>,
    title: Option<String>,
}

impl SessionLine for Entry {
    fn cwd(&self) -> Option<String> {
        self.cwd.clone().filter(|_| self.kind == "session")
    }

    fn model(&self) -> Option<String> {
        let by_parts = || Some(model_id(self.provider.as_deref()?, self.model_id.as_deref()?));
        (self.kind == "model_change").then(|| self.model.clone().or_else(by_parts)).flatten()
    }

    /// Its name, else what a person said, shortened.
    fn title(&self) -> Option<String> {
        let name = self.title.as_ref().or(self.name.as_ref()).filter(|name| !name.is_empty());
        let said = || self.message.as_ref().filter(|message| message.role == "user");
        match name {
            Some(name) => Some(first_line(name)),
            None => said()
                .map(|message| first_line(&text_of(&message.content)))
                .filter(|text| !text.is_empty()),
        }
    }
}

/// What happened in a session. Entries form a tree; what counts is the way from the root to the last
/// one, without the answers that were taken back.
pub(super) fn tell(entries: &mut dyn Iterator<Item = Entry>) -> Vec<Event> {
    let entries: Vec<Entry> =
        entries.filter(|entry| !matches!(entry.kind.as_str(), "session" | "title")).collect();
    let by_id: HashMap<&str, &Entry> =
        entries.iter().map(|entry| (entry.id.as_str(), entry)).collect();
    let mut way = Vec::new();
    let mut seen = HashSet::new();
    let mut next = entries.last();
    while let Some(entry) = next.filter(|entry| seen.insert(entry.id.as_str())) {
        way.push(entry);
        next = entry.parent_id.as_deref().and_then(|parent| by_id.get(parent).copied());
    }
    let taken_back: HashSet<&str> = way
        .iter()
        .filter(|entry| entry.kind == "context_edit" && entry.replacement.is_none())
        .filter_map(|entry| entry.target_id.as_deref())
        .collect();
    let mut transcript = Transcript::default();
    for entry in way.into_iter().rev() {
        let message = entry.message.as_ref().filter(|_| entry.kind == "message");
        if let Some(message) = message.filter(|_| !taken_back.contains(entry.id.as_str())) {
            transcript.on_message(message);
        }
    }
    transcript.events
}

/// What was told so far.
#[derive(Debug, Default)]
struct Transcript {
    events: Vec<Event>,
    messages: u32,
    thoughts: u32,
}

impl Transcript {
    fn on_message(&mut self, message: &Message) {
        match message.role.as_str() {
            "user" => {
                let text = text_of(&message.content);
                self.events.push(Event::UserMessage(UserMessage { text }));
            }
            "assistant" => {
                self.messages += 1;
                for block in blocks(message.content.clone()) {
                    self.on_block(block);
                }
            }
            "toolResult" => self.on_result(message),
            _ => {}
        }
    }

    fn on_block(&mut self, block: Block) {
        match block.kind.as_str() {
            "text" if !block.text.is_empty() => self.on_text(block.text),
            "thinking" if !block.thinking.is_empty() => self.on_thought(&block.thinking),
            "toolCall" => self.on_call(block),
            _ => {}
        }
    }

    fn on_text(&mut self, text: String) {
        let message_id = format!("message-{}", self.messages);
        self.events.extend([
            Event::MessageStarted(MessageStarted { message_id: message_id.clone() }),
            Event::TextDelta(TextDelta { message_id: message_id.clone(), text, truncated: None }),
            Event::MessageStopped(MessageStopped { message_id }),
        ]);
    }

    fn on_thought(&mut self, text: &str) {
        self.thoughts += 1;
        self.events.extend(whole_thought(&format!("thought-{}", self.thoughts), text));
    }

    fn on_call(&mut self, block: Block) {
        self.events.extend([
            Event::ToolCallStarted(ToolCallStarted {
                tool_call_id: block.id.clone(),
                kind: kind(&block.name),
                title: None,
                mcp_server: mcp_server(&block.name),
                parent_tool_call_id: None,
                name: block.name.clone(),
            }),
            Event::ToolCallReady(ToolCallReady {
                title: title(&block.name, &block.arguments),
                tool_call_id: block.id,
                input: block.arguments,
                truncated: None,
            }),
        ]);
    }

    fn on_result(&mut self, message: &Message) {
        let status = if message.is_error { ToolStatus::Error } else { ToolStatus::Ok };
        self.events.push(Event::ToolResult(ToolResult {
            tool_call_id: message.tool_call_id.clone(),
            status,
            output: text_of(&message.content).into(),
            exit_code: None,
            truncated: None,
        }));
    }
}
