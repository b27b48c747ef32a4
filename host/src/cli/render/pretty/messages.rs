//! Messages, thinking and questions.

use anstyle::Style;
use od_protocol::{InputRequested, TextDelta, ThinkingDelta, UserMessage};

use super::{Block, Pretty};
use crate::cli::terminal::{BOLD, DIM, PROMPT, Sanitizer, sanitize};

/// A message or thinking that has not ended.
#[derive(Debug, Default)]
pub(super) struct OpenMessage {
    sanitizer: Sanitizer,
    /// Text held until the message is complete, where the output cannot erase it later.
    held: String,
    /// Some of it was written.
    has_begun: bool,
    /// It contains a code block, whose lines must not be wrapped.
    has_code: bool,
}

impl Pretty {
    pub(super) fn user_message(&mut self, message: &UserMessage) {
        self.begin(Block::Message);
        for line in sanitize(&message.text).trim().lines() {
            self.canvas.write(PROMPT, "› ").write(BOLD, line).end_line();
        }
    }

    pub(super) fn text_delta(&mut self, delta: &TextDelta) {
        let live = self.canvas.viewport().is_live;
        let message = self.messages.entry(delta.message_id.clone()).or_default();
        let clean = message.sanitizer.push(&delta.text);
        if live {
            self.write_message(&delta.message_id, &clean, Block::Message, Style::new());
        } else {
            message.held.push_str(&clean);
            self.activity = "writing".to_owned();
        }
    }

    pub(super) fn message_stopped(&mut self, message_id: &str) {
        let Some(message) = self.messages.get_mut(message_id) else { return };
        let held = std::mem::take(&mut message.held);
        self.write_message(message_id, held.trim_end(), Block::Message, Style::new());
        self.end_message(message_id);
    }

    /// Removes a discarded message. An append-only output has not shown it yet; a terminal erases it, or shows a
    /// remark when it has scrolled off the screen.
    pub(super) fn message_discarded(&mut self, message_id: &str) {
        let begun = self.messages.remove(message_id).is_none_or(|message| message.has_begun);
        let marked = self.marked.take_if(|marked| marked == message_id).is_some();
        self.current_message = None;
        if !begun || (marked && self.canvas.erase_to_mark()) {
            self.remark("message discarded; the agent writes it again");
        } else {
            self.remark("ignore the last message: it was discarded and the agent writes it again");
        }
    }

    pub(super) fn thinking_delta(&mut self, delta: &ThinkingDelta) {
        let message = self.messages.entry(delta.thinking_id.clone()).or_default();
        let clean = message.sanitizer.push(&delta.text);
        self.write_message(&delta.thinking_id, &clean, Block::Thinking, DIM.italic());
    }

    pub(super) fn thinking_stopped(&mut self, thinking_id: &str) {
        self.end_message(thinking_id);
    }

    pub(super) fn input_requested(&mut self, question: &InputRequested) {
        self.begin(Block::Question);
        for line in sanitize(&question.text).trim().lines() {
            self.canvas.write(PROMPT, "? ").write(Style::new(), line).end_line();
        }
        self.is_waiting_for_user = true;
    }

    /// Shows held text. An agent that calls a tool has finished its message, so the text comes before the call.
    pub(super) fn show_held_text(&mut self) {
        let held = self.messages.iter_mut().filter(|(_, message)| !message.held.is_empty());
        let held: Vec<(String, String)> =
            held.map(|(id, message)| (id.clone(), std::mem::take(&mut message.held))).collect();
        for (id, text) in held {
            self.write_message(&id, text.trim_end(), Block::Message, Style::new());
        }
    }

    /// Shows the text of messages that never stopped.
    pub(super) fn finish_messages(&mut self) {
        let open: Vec<String> = self.messages.keys().cloned().collect();
        open.iter().for_each(|id| self.message_stopped(id));
    }

    fn write_message(&mut self, id: &str, text: &str, block: Block, style: Style) {
        let Some(message) = self.messages.get_mut(id) else { return };
        let text = if message.has_begun { text } else { text.trim_start_matches('\n') };
        if text.is_empty() {
            return;
        }
        let first = !std::mem::replace(&mut message.has_begun, true);
        message.has_code |= text.contains("```");
        let has_code = message.has_code;
        if self.current_message.as_deref() != Some(id) {
            if self.marked.as_deref() == Some(id) {
                self.canvas.resume(block);
            } else {
                self.canvas.begin(block);
            }
            self.current_message = Some(id.to_owned());
        }
        if first && block == Block::Message {
            self.canvas.set_mark();
            self.marked = Some(id.to_owned());
        }
        self.is_waiting_for_user = false;
        if has_code {
            self.canvas.write(style, text);
        } else {
            self.canvas.write_wrapped(style, text);
        }
    }

    fn end_message(&mut self, id: &str) {
        self.messages.remove(id);
        if self.marked.take_if(|marked| marked == id).is_some() {
            self.canvas.clear_mark();
        }
        if self.current_message.as_deref() == Some(id) {
            self.current_message = None;
            self.canvas.end_line();
        }
        self.activity = "waiting for the agent".to_owned();
    }
}
