//! What happened in a session, in the words of a run. A session keeps its pieces whole, so each of
//! them begins and ends at once. What a foreign line means is the adapter's business.

use od_protocol::{Event, MessageStarted, MessageStopped, TextDelta, ToolCallReady, ToolCallStarted, ToolKind, ToolResult, UserMessage};
use serde_json::Value;

use super::whole_thought;

/// A tool call that was kept whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Names the call.
    pub id: String,
    /// Its tool.
    pub name: String,
    /// What the tool does.
    pub kind: ToolKind,
    /// One line for people.
    pub title: Option<String>,
    /// The MCP server whose tool it is.
    pub mcp_server: Option<String>,
    /// What it was asked to do.
    pub input: Value,
}

/// What was told so far. Messages and thoughts are counted: not every agent CLI names them.
#[derive(Debug, Default)]
pub struct Transcript {
    events: Vec<Event>,
    messages: u32,
    thoughts: u32,
}

impl Transcript {
    /// What a person said.
    pub fn user(&mut self, text: String) {
        self.events.push(Event::UserMessage(UserMessage { text }));
    }

    /// What the model said; nothing is no message.
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

    /// What the model thought; nothing is no thought.
    pub fn thought(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.thoughts += 1;
        self.events.extend(whole_thought(&format!("thought-{}", self.thoughts), text));
    }

    /// A tool was called.
    pub fn call(&mut self, call: Call) {
        self.events.extend([
            Event::ToolCallStarted(ToolCallStarted {
                tool_call_id: call.id.clone(),
                name: call.name,
                kind: call.kind,
                title: None,
                mcp_server: call.mcp_server,
                parent_tool_call_id: None,
            }),
            Event::ToolCallReady(ToolCallReady {
                tool_call_id: call.id,
                input: call.input,
                title: call.title,
                truncated: None,
            }),
        ]);
    }

    /// What became of a call.
    pub fn result(&mut self, tool_result: ToolResult) {
        self.events.push(Event::ToolResult(tool_result));
    }

    /// All of it.
    pub fn into_events(self) -> Vec<Event> {
        self.events
    }
}
