//! Maps the lines of a session file to events. Pure. A line is a message, an updated message with tool
//! results, or a replacement of all messages.

use od_protocol::{Event, MessageStarted, MessageStopped, TextDelta, ToolStatus, UserMessage};
use od_sdk::event;
use od_sdk::session_files::{SessionLine, whole_thought};
use od_sdk::text::first_line;
use serde::Deserialize;
use serde_json::Value;

use crate::tool_names::{kind, title};

/// Prefix of a message that the CLI adds in the user's role.
const CONTEXT_PREFIX: &str = "<session_context>";

/// The first line of a session's file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Header {
    /// The session id.
    pub(super) session_id: String,
}

/// One line of a session's file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Line {
    #[serde(flatten)]
    message: Message,
    #[serde(rename = "$set")]
    set: Option<Change>,
}

/// A replacement of all messages.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Change {
    /// The new messages.
    messages: Option<Vec<Message>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Message {
    id: String,
    /// `user`, `gemini`, ….
    #[serde(rename = "type")]
    kind: String,
    /// Text, or a list of parts.
    content: Value,
    thoughts: Vec<Thought>,
    tool_calls: Vec<ToolCall>,
    model: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Thought {
    subject: String,
    description: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ToolCall {
    id: String,
    name: String,
    args: Value,
    /// The result that the model received.
    result: Vec<Value>,
    /// `success`, `error`, `cancelled`.
    status: String,
}

impl Message {
    /// The user's prompt.
    fn user_text(&self) -> Option<String> {
        let text = (self.kind == "user").then(|| text_of(&self.content))?;
        Some(text).filter(|text| !text.is_empty() && !text.starts_with(CONTEXT_PREFIX))
    }
}

impl SessionLine for Line {
    fn cwd(&self) -> Option<String> {
        None
    }

    fn model(&self) -> Option<String> {
        self.message.model.clone()
    }

    fn title(&self) -> Option<String> {
        self.message.user_text().map(|text| first_line(&text))
    }
}

/// The messages of a session.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    messages: Vec<Message>,
}

impl Transcript {
    pub(super) fn on_line(&mut self, line: Line) {
        if let Some(messages) = line.set.and_then(|change| change.messages) {
            self.messages = messages;
        }
        let message = line.message;
        if message.id.is_empty() {
            return;
        }
        match self.messages.iter_mut().find(|known| known.id == message.id) {
            Some(known) => *known = message,
            None => self.messages.push(message),
        }
    }

    pub(super) fn into_events(self) -> Vec<Event> {
        let mut events = Vec::new();
        for (index, message) in self.messages.into_iter().enumerate() {
            match message.user_text() {
                Some(text) => events.push(Event::UserMessage(UserMessage { text })),
                None if message.kind == "gemini" => answer(index, message, &mut events),
                None => {}
            }
        }
        events
    }
}

fn answer(index: usize, message: Message, events: &mut Vec<Event>) {
    for (number, thought) in message.thoughts.into_iter().enumerate() {
        let thinking_id = format!("thought-{index}-{number}");
        let text = match thought.subject.is_empty() {
            true => thought.description,
            false => format!("**{}**\n{}", thought.subject, thought.description),
        };
        events.extend(whole_thought(&thinking_id, &text));
    }
    let text = text_of(&message.content);
    if !text.is_empty() {
        let message_id = message.id;
        events.extend([
            Event::MessageStarted(MessageStarted { message_id: message_id.clone() }),
            Event::TextDelta(TextDelta { message_id: message_id.clone(), text, truncated: None }),
            Event::MessageStopped(MessageStopped { message_id }),
        ]);
    }
    message.tool_calls.into_iter().for_each(|call| tool_call(call, events));
}

fn tool_call(call: ToolCall, events: &mut Vec<Event>) {
    let status = match call.status.as_str() {
        "success" => ToolStatus::Ok,
        "cancelled" => ToolStatus::Cancelled,
        "error" => ToolStatus::Error,
        _ => ToolStatus::Unknown,
    };
    events.extend([
        Event::ToolCallStarted(event::tool_call_started(&call.id, &call.name, kind(&call.name))),
        event::tool_call_ready(&call.id, call.args.clone(), title(&call.args)),
        Event::ToolResult(event::tool_result(call.id, status, result_output(&call.result))),
    ]);
}

/// The output that the model received.
fn result_output(result: &[Value]) -> Value {
    let places = ["/functionResponse/response/output", "/functionResponse/response/error"];
    let mut texts =
        result.iter().flat_map(|part| places.iter().filter_map(|place| part.pointer(place)));
    texts.next().cloned().unwrap_or_default()
}

/// Returns the text, or the joined texts of a list of parts.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
        _ => String::new(),
    }
}
