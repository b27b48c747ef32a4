//! Text and thinking of the model. Messages have the ids of the agent; without ids, a message ends at
//! the next update that is not text.

use od_protocol::{Event, Image, MessageDiscarded, MessageStopped, ThinkingStopped};

use super::dialect::Dialect;
use super::native::{Chunk, ContentBlock};
use crate::RunOutput;
use crate::repeat::RepeatDetector;

/// How much of the last message is kept for [`super::Dialect::failure_in_text`], approximately.
const MAX_KEPT_BYTES: usize = 4096;

/// The current message and thinking.
#[derive(Debug, Default)]
pub(super) struct Messages {
    message: Option<String>,
    thought: Option<String>,
    messages: u32,
    thoughts: u32,
    /// The start of the last message.
    last_text: String,
    /// Its id.
    last_message: Option<String>,
    restart: RepeatDetector,
    /// The messages of the answer so far: since the prompt, or since the last tool.
    answer: Vec<String>,
    /// Number of interrupted answers.
    attempts: u32,
}

impl Messages {
    /// `agent_message_chunk`; returns `None` for an unknown kind of content.
    pub(super) fn on_text(&mut self, chunk: Chunk, output: &mut RunOutput) -> Option<()> {
        let Chunk { content, message_id } = chunk;
        match content.kind.as_str() {
            // An empty piece only carries usage.
            "text" if content.text.is_empty() => {}
            "text" => self.emit_text(&content.text, message_id, output),
            "resource_link" => self.emit_text(&content.uri, message_id, output),
            "image" => show(content, output),
            _ => return None,
        }
        Some(())
    }

    fn emit_text(&mut self, text: &str, id: Option<String>, output: &mut RunOutput) {
        self.detect_restart(text, output);
        self.end_thought(output);
        let id = id.map(|id| self.attempted(id));
        let is_open = match (&self.message, &id) {
            (Some(open), Some(id)) => open == id,
            (open, None) => open.is_some(),
            (None, Some(_)) => false,
        };
        if !is_open {
            self.end_message(output);
            self.messages += 1;
            let id = id.unwrap_or_else(|| format!("message-{}", self.messages));
            self.last_text.clear();
            self.last_message = Some(id.clone());
            self.answer.push(id.clone());
            self.message = Some(id);
        }
        if let Some(message) = &self.message {
            output.text_delta(message, text);
        }
        if self.last_text.len() < MAX_KEPT_BYTES {
            self.last_text.extend(text.chars().take(MAX_KEPT_BYTES));
        }
    }

    /// `agent_thought_chunk`.
    pub(super) fn on_thought(
        &mut self,
        chunk: &Chunk,
        dialect: &dyn Dialect,
        output: &mut RunOutput,
    ) -> Option<()> {
        if chunk.content.kind != "text" {
            return None;
        }
        if chunk.content.text.is_empty() {
            return Some(());
        }
        self.detect_restart(&chunk.content.text, output);
        self.end_message(output);
        let is_open = self.thought.is_some()
            && (chunk.message_id.is_none() || chunk.message_id == self.thought);
        if !is_open {
            self.end_thought(output);
            self.thoughts += 1;
            let number = self.thoughts;
            let id = chunk.message_id.clone().unwrap_or_else(|| format!("thought-{number}"));
            self.thought = Some(id);
        }
        let text = dialect.thought(&chunk.content.text, !is_open);
        output.thinking_delta(self.thought.as_deref()?, &text);
        Some(())
    }

    /// Another update came: the current message is complete.
    pub(super) fn end(&mut self, output: &mut RunOutput) {
        self.end_thought(output);
        self.end_message(output);
        self.restart.end_answer();
        self.answer.clear();
        self.attempts = 0;
    }

    /// The agent pauses in the middle of an answer.
    pub(super) fn pause(&mut self) {
        self.restart.pause();
    }

    /// An answer that starts again discards its earlier text.
    fn detect_restart(&mut self, piece: &str, output: &mut RunOutput) {
        if self.restart.is_repeated(piece) {
            self.start_over(output);
        }
    }

    /// A discarded id is not used again, even if the agent does.
    fn attempted(&self, id: String) -> String {
        match self.attempts {
            0 => id,
            attempts => format!("{id}-{attempts}"),
        }
    }

    /// The answer was interrupted: its text is discarded.
    pub(super) fn start_over(&mut self, output: &mut RunOutput) {
        self.attempts += 1;
        self.end_thought(output);
        self.end_message(output);
        for message_id in self.answer.drain(..) {
            output.event(Event::MessageDiscarded(MessageDiscarded { message_id }));
        }
    }

    /// The start of the last message.
    pub(super) fn last_text(&self) -> &str {
        &self.last_text
    }

    /// Discards the last message.
    pub(super) fn discard_last(&mut self, output: &mut RunOutput) {
        self.end(output);
        self.last_text.clear();
        if let Some(message_id) = self.last_message.take() {
            output.event(Event::MessageDiscarded(MessageDiscarded { message_id }));
        }
    }

    fn end_message(&mut self, output: &mut RunOutput) {
        if let Some(message_id) = self.message.take() {
            output.event(Event::MessageStopped(MessageStopped { message_id }));
        }
    }

    fn end_thought(&mut self, output: &mut RunOutput) {
        if let Some(thinking_id) = self.thought.take() {
            output.event(Event::ThinkingStopped(ThinkingStopped { thinking_id }));
        }
    }
}

fn show(content: ContentBlock, output: &mut RunOutput) {
    output.event(Event::Image(Image {
        mime: content.mime_type,
        data: Some(content.data),
        path: None,
    }));
}
