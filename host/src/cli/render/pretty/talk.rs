//! What agent and person say: messages, thoughts, questions.

use anstyle::Style;
use od_protocol::{InputRequested, TextDelta, ThinkingDelta, UserMessage};

use super::{Block, Pretty};
use crate::cli::terminal::{ASK, BOLD, DIM, Sanitizer, sanitize};

/// A message or thought that has not ended.
#[derive(Debug, Default)]
pub(super) struct Speech {
    sanitizer: Sanitizer,
    /// Text kept until the message is complete, where it cannot be taken back later.
    held: String,
    /// Something of it was written.
    begun: bool,
    /// It has a block of code, whose lines must stay as they are.
    has_code: bool,
}

impl Pretty {
    pub(super) fn user_message(&mut self, message: &UserMessage) {
        self.begin(Block::Talk);
        for line in sanitize(&message.text).trim().lines() {
            self.canvas.write(ASK, "› ").write(BOLD, line).end_line();
        }
    }

    pub(super) fn text_delta(&mut self, delta: &TextDelta) {
        let live = self.canvas.look().live;
        let speech = self.speech.entry(delta.message_id.clone()).or_default();
        let clean = speech.sanitizer.push(&delta.text);
        if live {
            self.say(&delta.message_id, &clean, Block::Talk, Style::new());
        } else {
            speech.held.push_str(&clean);
            self.activity = "writing".to_owned();
        }
    }

    pub(super) fn message_stopped(&mut self, message_id: &str) {
        let Some(speech) = self.speech.get_mut(message_id) else { return };
        let held = std::mem::take(&mut speech.held);
        self.say(message_id, held.trim_end(), Block::Talk, Style::new());
        self.stop_speaking(message_id);
    }

    /// Nothing of a discarded message may stay beside its retry. Where text is final it was held
    /// back; on a terminal it is erased, or, when it has scrolled away, called void.
    pub(super) fn message_discarded(&mut self, message_id: &str) {
        let begun = self.speech.remove(message_id).is_none_or(|speech| speech.begun);
        let marked = self.marked.take_if(|marked| marked == message_id).is_some();
        self.speaking = None;
        if !begun || (marked && self.canvas.take_back()) {
            self.remark("the message was dropped and is written again");
        } else {
            self.remark("the last message does not count: it was dropped and is written again");
        }
    }

    pub(super) fn thinking_delta(&mut self, delta: &ThinkingDelta) {
        let speech = self.speech.entry(delta.thinking_id.clone()).or_default();
        let clean = speech.sanitizer.push(&delta.text);
        self.say(&delta.thinking_id, &clean, Block::Thought, DIM.italic());
    }

    pub(super) fn thinking_stopped(&mut self, thinking_id: &str) {
        self.stop_speaking(thinking_id);
    }

    pub(super) fn input_requested(&mut self, question: &InputRequested) {
        self.begin(Block::Question);
        for line in sanitize(&question.text).trim().lines() {
            self.canvas.write(ASK, "? ").write(Style::new(), line).end_line();
        }
        self.waiting_for_person = true;
    }

    /// Shows what was held back. An agent that acts has its message whole, so it can stand before
    /// what is shown of the act.
    pub(super) fn settle_speech(&mut self) {
        let held = self.speech.iter_mut().filter(|(_, speech)| !speech.held.is_empty());
        let held: Vec<(String, String)> =
            held.map(|(id, speech)| (id.clone(), std::mem::take(&mut speech.held))).collect();
        for (id, text) in held {
            self.say(&id, text.trim_end(), Block::Talk, Style::new());
        }
    }

    /// Text of messages that never stopped is not lost with the run.
    pub(super) fn finish_speech(&mut self) {
        let open: Vec<String> = self.speech.keys().cloned().collect();
        open.iter().for_each(|id| self.message_stopped(id));
    }

    fn say(&mut self, id: &str, text: &str, block: Block, style: Style) {
        let Some(speech) = self.speech.get_mut(id) else { return };
        let text = if speech.begun { text } else { text.trim_start_matches('\n') };
        if text.is_empty() {
            return;
        }
        let first = !std::mem::replace(&mut speech.begun, true);
        speech.has_code |= text.contains("```");
        let has_code = speech.has_code;
        if self.speaking.as_deref() != Some(id) {
            if self.marked.as_deref() == Some(id) {
                self.canvas.resume(block);
            } else {
                self.canvas.begin(block);
            }
            self.speaking = Some(id.to_owned());
        }
        if first && block == Block::Talk {
            self.canvas.set_mark();
            self.marked = Some(id.to_owned());
        }
        self.waiting_for_person = false;
        if has_code {
            self.canvas.write(style, text);
        } else {
            self.canvas.write_wrapped(style, text);
        }
    }

    fn stop_speaking(&mut self, id: &str) {
        self.speech.remove(id);
        if self.marked.take_if(|marked| marked == id).is_some() {
            self.canvas.clear_mark();
        }
        if self.speaking.as_deref() == Some(id) {
            self.speaking = None;
            self.canvas.end_line();
        }
        self.activity = "waiting for the agent".to_owned();
    }
}
