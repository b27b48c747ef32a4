//! Text and thoughts of the model, streamed or complete.

use od_protocol::{Event, MessageDiscarded, MessageStopped, ThinkingStarted, ThinkingStopped};
use od_sdk::RunOutput;

use crate::native::{Delta, Message};

/// The current message.
#[derive(Debug, Default)]
pub(super) struct Messages {
    message: Option<String>,
    /// A part of the text was emitted.
    was_streamed: bool,
    thought: Option<String>,
    /// A part of the thought was emitted.
    was_thinking: bool,
}

impl Messages {
    pub(super) fn start(&mut self, delta: &Delta<'_>, output: &mut RunOutput) {
        if self.message.as_deref() != Some(&*delta.message_id) {
            self.stop(output);
            self.message = Some(delta.message_id.to_string());
        }
    }

    /// The hot path: no allocation once the message id is known.
    pub(super) fn on_text(&mut self, delta: &Delta<'_>, output: &mut RunOutput) {
        self.end_thought(output);
        self.start(delta, output);
        self.was_streamed = true;
        output.text_delta(&delta.message_id, &delta.delta_content);
    }

    pub(super) fn on_thought(&mut self, delta: &Delta<'_>, output: &mut RunOutput) {
        if self.thought.as_deref() != Some(&*delta.reasoning_id) {
            self.end_thought(output);
            let thinking_id = delta.reasoning_id.to_string();
            self.thought = Some(thinking_id.clone());
            output.event(Event::ThinkingStarted(ThinkingStarted { thinking_id }));
        }
        self.was_thinking = true;
        output.thinking_delta(&delta.reasoning_id, &delta.delta_content);
    }

    /// The complete message: emitted only when nothing was streamed (recording `stream_off`).
    pub(super) fn on_complete(&mut self, message: &Message, output: &mut RunOutput) {
        self.end_thought(output);
        let was_thinking = self.was_thinking;
        if let Some(thought) = message.reasoning_text.as_deref().filter(|_| !was_thinking) {
            let thinking_id = format!("thought-{}", message.message_id);
            output.event(Event::ThinkingStarted(ThinkingStarted {
                thinking_id: thinking_id.clone(),
            }));
            output.thinking_delta(&thinking_id, thought);
            output.event(Event::ThinkingStopped(ThinkingStopped { thinking_id }));
        }
        if !self.was_streamed && !message.content.is_empty() {
            self.stop(output);
            self.message = Some(message.message_id.clone());
            output.text_delta(&message.message_id, &message.content);
        }
        self.stop(output);
    }

    /// The stream was interrupted and the CLI repeats the request, with the same or another id.
    pub(super) fn discard(&mut self, output: &mut RunOutput) {
        self.end_thought(output);
        if let Some(message_id) = self.message.take().filter(|_| self.was_streamed) {
            output.event(Event::MessageDiscarded(MessageDiscarded { message_id }));
        }
        self.was_streamed = false;
        self.was_thinking = false;
    }

    /// Ends the current message; its text stays.
    pub(super) fn end(&mut self, output: &mut RunOutput) {
        self.end_thought(output);
        self.stop(output);
    }

    pub(super) fn end_thought(&mut self, output: &mut RunOutput) {
        if let Some(thinking_id) = self.thought.take() {
            output.event(Event::ThinkingStopped(ThinkingStopped { thinking_id }));
        }
    }

    fn stop(&mut self, output: &mut RunOutput) {
        if let Some(message_id) = self.message.take() {
            output.event(Event::MessageStopped(MessageStopped { message_id }));
        }
        self.was_streamed = false;
        self.was_thinking = false;
    }
}
