//! The lines of a session's file → events, in the words of a run. Pure.

use od_protocol::{
    Event, MessageStarted, MessageStopped, TextDelta, ThinkingDelta, ThinkingStarted,
    ThinkingStopped, ToolCallReady, ToolCallStarted, ToolResult, ToolStatus, UserMessage,
};
use od_sdk::stream_json::{Block, Message, blocks, text_of};
use serde::Deserialize;
use serde_json::Value;

use crate::events::words::{first_line, kind, mcp_server, title};

/// One line of a session's file. Lines of other types have none of these.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Line {
    /// `user`, `assistant`, `attachment`, `summary`, ….
    #[serde(rename = "type")]
    kind: String,
    /// Where the session runs.
    pub(super) cwd: Option<String>,
    message: Option<Message>,
    /// It belongs to a subagent.
    is_sidechain: bool,
    /// The CLI wrote it, not a person.
    is_meta: bool,
    /// With `attachment`: what a person said while a tool ran.
    attachment: Option<Attachment>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Attachment {
    #[serde(rename = "type")]
    kind: String,
    prompt: Value,
}

impl Line {
    /// The model that answered.
    pub(super) fn model(&self) -> Option<&str> {
        let model = self.message.as_ref()?.model.as_deref();
        model.filter(|model| *model != "<synthetic>")
    }

    /// What a person said, shortened.
    pub(super) fn title(&self) -> Option<String> {
        self.said().map(|text| first_line(&text))
    }

    fn said(&self) -> Option<String> {
        let content = match self.kind.as_str() {
            _ if self.is_sidechain || self.is_meta => return None,
            "user" => &self.message.as_ref()?.content,
            "attachment" => {
                let attachment = self.attachment.as_ref()?;
                (attachment.kind == "queued_command").then_some(&attachment.prompt)?
            }
            _ => return None,
        };
        let is_result = |item: &Value| item.get("type").is_some_and(|kind| kind == "tool_result");
        if content.as_array().is_some_and(|items| items.iter().any(is_result)) {
            return None;
        }
        // The block that follows every prompt of ours is empty.
        Some(text_of(content).trim_end_matches('\n').to_owned()).filter(|text| !text.is_empty())
    }
}

/// What happened in a session so far.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    events: Vec<Event>,
    message: Option<String>,
    thoughts: u32,
}

impl Transcript {
    pub(super) fn on_line(&mut self, line: Line) {
        if let Some(text) = line.said() {
            self.stop_message();
            self.events.push(Event::UserMessage(UserMessage { text }));
            return;
        }
        if line.is_sidechain || line.is_meta {
            return;
        }
        let Some(message) = line.message else { return };
        for block in blocks(message.content) {
            self.on_block(&message.id, block);
        }
    }

    /// All of it, or the newest part that fits.
    pub(super) fn into_events(mut self, limit: usize) -> (Vec<Event>, bool) {
        self.stop_message();
        let size = |event: &Event| serde_json::to_vec(event).map_or(0, |json| json.len() + 1);
        let mut left = limit;
        let kept = self.events.iter().rev().take_while(|event| {
            let fits = left.checked_sub(size(event));
            left = fits.unwrap_or_default();
            fits.is_some()
        });
        let dropped = self.events.len() - kept.count();
        self.events.drain(..dropped);
        (self.events, dropped > 0)
    }

    fn on_block(&mut self, message_id: &str, block: Block) {
        match block.kind.as_str() {
            "text" => self.on_text(message_id, block.text),
            "thinking" => self.on_thought(block.thinking),
            "tool_use" => self.on_call(block),
            "tool_result" => self.on_result(&block),
            _ => {}
        }
    }

    fn on_text(&mut self, message_id: &str, text: String) {
        if self.message.as_deref() != Some(message_id) {
            self.stop_message();
            self.message = Some(message_id.to_owned());
            let message_id = message_id.to_owned();
            self.events.push(Event::MessageStarted(MessageStarted { message_id }));
        }
        let message_id = message_id.to_owned();
        self.events.push(Event::TextDelta(TextDelta { message_id, text, truncated: None }));
    }

    fn on_thought(&mut self, text: String) {
        self.thoughts += 1;
        let thinking_id = format!("thought-{}", self.thoughts);
        self.events.extend([
            Event::ThinkingStarted(ThinkingStarted { thinking_id: thinking_id.clone() }),
            Event::ThinkingDelta(ThinkingDelta {
                thinking_id: thinking_id.clone(),
                text,
                truncated: None,
            }),
            Event::ThinkingStopped(ThinkingStopped { thinking_id }),
        ]);
    }

    fn on_call(&mut self, block: Block) {
        self.stop_message();
        self.events.extend([
            Event::ToolCallStarted(ToolCallStarted {
                tool_call_id: block.id.clone(),
                name: block.name.clone(),
                kind: kind(&block.name),
                title: None,
                mcp_server: mcp_server(&block.name),
                parent_tool_call_id: None,
            }),
            Event::ToolCallReady(ToolCallReady {
                title: title(&block.name, &block.input),
                tool_call_id: block.id,
                input: block.input,
                truncated: None,
            }),
        ]);
    }

    fn on_result(&mut self, block: &Block) {
        let status = match block.is_error {
            Some(true) => ToolStatus::Error,
            _ => ToolStatus::Ok,
        };
        self.events.push(Event::ToolResult(ToolResult {
            tool_call_id: block.tool_use_id.clone(),
            status,
            output: text_of(&block.content).into(),
            exit_code: None,
            truncated: None,
        }));
    }

    fn stop_message(&mut self) {
        if let Some(message_id) = self.message.take() {
            self.events.push(Event::MessageStopped(MessageStopped { message_id }));
        }
    }
}
