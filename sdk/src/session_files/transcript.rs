//! Builds the events of a session. A session has complete messages, thoughts and calls, so each
//! starts and stops at once.

use od_protocol::{
    Event, MessageStarted, MessageStopped, TextDelta, ToolCallStarted, ToolKind, ToolResult,
    UserMessage,
};
use serde_json::Value;

use super::whole_thought;
use crate::event;

/// A complete tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The id of the call.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The kind of the tool.
    pub kind: ToolKind,
    /// One line for users.
    pub title: Option<String>,
    /// The MCP server of the tool.
    pub mcp_server: Option<String>,
    /// The input of the tool.
    pub input: Value,
}

/// The events of a session. Messages and thoughts are numbered, because not every agent CLI has ids
/// for them.
#[derive(Debug, Default)]
pub struct Transcript {
    events: Vec<Event>,
    messages: u32,
    thoughts: u32,
}

impl Transcript {
    /// Adds a message of the user.
    pub fn user(&mut self, text: String) {
        self.events.push(Event::UserMessage(UserMessage { text }));
    }

    /// Adds a message of the model, unless it is empty.
    pub fn text(&mut self, text: String) {
        if text.is_empty() {
            return;
        }
        self.messages += 1;
        let message_id = format!("message-{}", self.messages);
        self.events.extend([
            Event::MessageStarted(MessageStarted { message_id: message_id.clone() }),
            Event::TextDelta(TextDelta { message_id: message_id.clone(), text, truncated: None }),
            Event::MessageStopped(MessageStopped { message_id }),
        ]);
    }

    /// Adds a thought of the model, unless it is empty.
    pub fn thought(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.thoughts += 1;
        self.events.extend(whole_thought(&format!("thought-{}", self.thoughts), text));
    }

    /// Adds a tool call.
    pub fn call(&mut self, call: Call) {
        self.events.extend([
            Event::ToolCallStarted(ToolCallStarted {
                mcp_server: call.mcp_server,
                ..event::tool_call_started(&call.id, call.name, call.kind)
            }),
            event::tool_call_ready(call.id, call.input, call.title),
        ]);
    }

    /// Adds the result of a tool call.
    pub fn result(&mut self, tool_result: ToolResult) {
        self.events.push(Event::ToolResult(tool_result));
    }

    /// Returns the events.
    pub fn into_events(self) -> Vec<Event> {
        self.events
    }
}
