//! Text and thinking of the model: in pieces, or as a whole where nothing was streamed; discards
//! failed answers that are retried.

use od_protocol::{Event, MessageDiscarded, MessageStopped, ThinkingStarted, ThinkingStopped};

use super::tools::Tools;
use crate::native::{Block, Piece};
use od_sdk::RunOutput;

/// The current answer.
#[derive(Debug, Default)]
pub(super) struct Messages {
    /// Number of started answers.
    messages: u32,
    /// Id of the open answer.
    message: Option<String>,
    /// Whether parts of it were streamed; its end repeats them.
    has_streamed: bool,
    thoughts: u32,
    thought: Option<String>,
    /// The call whose input is being streamed, by its position in the answer.
    call: Option<(usize, String)>,
    /// The last answer, if it failed; a retry discards it.
    failed: Option<String>,
}

impl Messages {
    /// An answer starts.
    pub(super) fn begin(&mut self, output: &mut RunOutput) {
        self.end(output);
        self.messages += 1;
        self.message = Some(format!("message-{}", self.messages));
        self.has_streamed = false;
        self.failed = None;
    }

    /// Handles a piece of the answer; returns `None` for an unknown one.
    pub(super) fn on_piece(
        &mut self,
        piece: Piece<'_>,
        tools: &mut Tools,
        output: &mut RunOutput,
    ) -> Option<()> {
        match &*piece.kind {
            "text_delta" => {
                // The end of thinking may come only after the text (recording `think`).
                self.end_thought(output);
                self.has_streamed = true;
                output.text_delta(self.message.as_deref().unwrap_or("message"), &piece.delta);
            }
            "thinking_delta" => {
                self.has_streamed = true;
                if self.thought.is_none() {
                    self.begin_thought(output);
                }
                output.thinking_delta(self.thought.as_deref().unwrap_or_default(), &piece.delta);
            }
            "toolcall_delta" => match &self.call {
                Some((index, id)) if *index == piece.content_index && !piece.delta.is_empty() => {
                    output.tool_input_delta(id, &piece.delta);
                }
                _ => {}
            },
            "thinking_start" => self.begin_thought(output),
            "thinking_end" => self.end_thought(output),
            // Older versions and omp name the call only at its end.
            "toolcall_start" => {
                self.end_thought(output);
                if let (Some(id), Some(name)) = (piece.id, &piece.tool_name) {
                    tools.on_started(&id, name, output);
                    self.call = Some((piece.content_index, id));
                }
            }
            "toolcall_end" => tools.on_ready(&piece.tool_call?, output),
            "text_start" | "text_end" | "start" | "done" | "error" => {}
            _ => return None,
        }
        Some(())
    }

    /// The end of an answer repeats all of it; emits what was not streamed.
    pub(super) fn on_whole(&mut self, blocks: &[Block], output: &mut RunOutput) {
        if self.has_streamed {
            return;
        }
        for block in blocks {
            match block.kind.as_str() {
                "thinking" if !block.thinking.is_empty() => {
                    self.begin_thought(output);
                    let thought = self.thought.as_deref().unwrap_or_default();
                    output.thinking_delta(thought, &block.thinking);
                    self.end_thought(output);
                }
                "text" if !block.text.is_empty() => {
                    output.text_delta(self.message.as_deref().unwrap_or("message"), &block.text);
                }
                _ => {}
            }
        }
    }

    /// The answer is complete.
    pub(super) fn end(&mut self, output: &mut RunOutput) {
        self.end_thought(output);
        self.call = None;
        if let Some(message_id) = self.message.take() {
            output.event(Event::MessageStopped(MessageStopped { message_id }));
        }
    }

    /// The answer failed.
    pub(super) fn fail(&mut self, output: &mut RunOutput) {
        self.failed = self.message.clone();
        self.end(output);
    }

    /// The failed answer is retried: discards its text, which must not count twice.
    pub(super) fn discard_failed(&mut self, output: &mut RunOutput) {
        if let Some(message_id) = self.failed.take() {
            output.event(Event::MessageDiscarded(MessageDiscarded { message_id }));
        }
    }

    fn begin_thought(&mut self, output: &mut RunOutput) {
        self.end_thought(output);
        self.thoughts += 1;
        let thinking_id = format!("thought-{}", self.thoughts);
        self.thought = Some(thinking_id.clone());
        output.event(Event::ThinkingStarted(ThinkingStarted { thinking_id }));
    }

    fn end_thought(&mut self, output: &mut RunOutput) {
        if let Some(thinking_id) = self.thought.take() {
            output.event(Event::ThinkingStopped(ThinkingStopped { thinking_id }));
        }
    }
}
