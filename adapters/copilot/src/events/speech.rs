//! Text and thoughts of the model, as they stream or whole.

use od_protocol::{Event, MessageDiscarded, MessageStopped, ThinkingStarted, ThinkingStopped};
use od_sdk::RunOutput;

use crate::native::{Delta, Message};

/// The message that is being said.
#[derive(Debug, Default)]
pub(super) struct Speech {
    message: Option<String>,
    /// Something of it was said already.
    was_streamed: bool,
    thought: Option<String>,
    /// Thoughts of this message were told already.
    was_thought: bool,
}

impl Speech {
    pub(super) fn begin(&mut self, delta: &Delta<'_>, output: &mut RunOutput) {
        if self.message.as_deref() != Some(&*delta.message_id) {
            self.stop(output);
            self.message = Some(delta.message_id.to_string());
        }
    }

    /// The hot path: nothing is allocated here once the message is known.
    pub(super) fn on_text(&mut self, delta: &Delta<'_>, output: &mut RunOutput) {
        self.end_thought(output);
        self.begin(delta, output);
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
        self.was_thought = true;
        output.thinking_delta(&delta.reasoning_id, &delta.delta_content);
    }

    /// The whole message: news only where nothing streamed (recording `stream_off`).
    pub(super) fn on_whole(&mut self, message: &Message, output: &mut RunOutput) {
        self.end_thought(output);
        let is_told = self.was_thought;
        if let Some(thought) = message.reasoning_text.as_deref().filter(|_| !is_told) {
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

    /// The answer broke off and is asked for again, under the same or another id.
    pub(super) fn discard(&mut self, output: &mut RunOutput) {
        self.end_thought(output);
        if let Some(message_id) = self.message.take().filter(|_| self.was_streamed) {
            output.event(Event::MessageDiscarded(MessageDiscarded { message_id }));
        }
        self.was_streamed = false;
        self.was_thought = false;
    }

    /// The run is over: what was said stays as it is.
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
        self.was_thought = false;
    }
}
