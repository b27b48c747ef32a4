//! Maps the lines of a session file to the events of a run. Pure.

use od_protocol::{Event, MessageStarted, MessageStopped, TextDelta, ToolStatus, UserMessage};
use od_sdk::session_files::{SessionLine, whole_thought};
use od_sdk::stream_json::{Block, Message, blocks, call_ready, call_result, call_started, text_of};
use od_sdk::text::first_line;
use serde::Deserialize;
use serde_json::Value;

use crate::tool_names::{kind, title};

/// One line of a session file. Lines of other types have none of these fields.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Line {
    /// `user`, `assistant`, `attachment`, `summary`, ….
    #[serde(rename = "type")]
    kind: String,
    /// The working folder of the session.
    cwd: Option<String>,
    message: Option<Message>,
    /// The line belongs to a subagent.
    is_sidechain: bool,
    /// The CLI wrote the line, not the user.
    is_meta: bool,
    /// With `attachment`: input that arrived while a tool ran.
    attachment: Option<Attachment>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Attachment {
    #[serde(rename = "type")]
    kind: String,
    prompt: Value,
}

impl SessionLine for Line {
    fn cwd(&self) -> Option<String> {
        self.cwd.clone()
    }

    fn model(&self) -> Option<String> {
        let model = self.message.as_ref()?.model.clone();
        model.filter(|model| model != "<synthetic>")
    }

    fn title(&self) -> Option<String> {
        self.user_text().map(|text| first_line(&text))
    }
}

impl Line {
    /// The user's prompt or input.
    fn user_text(&self) -> Option<String> {
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
        // The adapter adds an empty block after each prompt.
        Some(text_of(content).trim_end_matches('\n').to_owned()).filter(|text| !text.is_empty())
    }
}

/// Maps a session to events.
pub(super) fn to_events(lines: &mut dyn Iterator<Item = Line>) -> Vec<Event> {
    let mut transcript = Transcript::default();
    for line in lines {
        transcript.on_line(line);
    }
    transcript.stop_message();
    transcript.events
}

/// The events so far.
#[derive(Debug, Default)]
struct Transcript {
    events: Vec<Event>,
    message: Option<String>,
    thoughts: u32,
}

impl Transcript {
    fn on_line(&mut self, line: Line) {
        if let Some(text) = line.user_text() {
            self.stop_message();
            self.events.push(Event::UserMessage(UserMessage { text }));
            return;
        }
        if line.is_sidechain || line.is_meta {
            return;
        }
        let Some(message) = line.message else { return };
        for block in blocks(message.content) {
            self.on_block(&message.id, &block);
        }
    }

    fn on_block(&mut self, message_id: &str, block: &Block) {
        match block.kind.as_str() {
            "text" => self.on_text(message_id, block.text.clone()),
            "thinking" => self.on_thought(&block.thinking),
            "tool_use" => self.on_call(block),
            "tool_result" => self.on_result(block),
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

    fn on_thought(&mut self, text: &str) {
        self.thoughts += 1;
        self.events.extend(whole_thought(&format!("thought-{}", self.thoughts), text));
    }

    fn on_call(&mut self, block: &Block) {
        self.stop_message();
        let title = title(&block.name, &block.input);
        self.events.extend([call_started(block, kind(&block.name)), call_ready(block, title)]);
    }

    fn on_result(&mut self, block: &Block) {
        let status = match block.is_error {
            Some(true) => ToolStatus::Error,
            _ => ToolStatus::Ok,
        };
        let text = text_of(&block.content).into();
        self.events.push(call_result(&block.tool_use_id, status, text, None));
    }

    fn stop_message(&mut self) {
        if let Some(message_id) = self.message.take() {
            self.events.push(Event::MessageStopped(MessageStopped { message_id }));
        }
    }
}
