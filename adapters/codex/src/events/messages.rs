//! Text and thoughts of the model, streamed or complete.

use od_protocol::{
    Event, MessageDiscarded, MessageStarted, MessageStopped, ThinkingStarted, ThinkingStopped,
};
use od_sdk::RunOutput;
use serde_json::Value;

use crate::native::{Delta, Item};

/// Separates the parts of a reasoning summary.
const PART_SEPARATOR: &str = "\n\n";

/// A message of the current response.
#[derive(Debug)]
struct Message {
    id: String,
    is_streamed: bool,
}

/// The source of a thought's text: a model sends a summary, the raw text, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Summary,
    Raw,
}

/// The current thought.
#[derive(Debug)]
struct Thought {
    id: String,
    source: Option<Source>,
}

/// The current response of the model.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    /// The messages since the last complete response: a retry repeats them, complete ones included
    /// (recordings `drop`, `refusal`).
    response: Vec<Message>,
    thought: Option<Thought>,
}

impl Messages {
    pub(crate) fn on_delta(&mut self, delta: &Delta<'_>, output: &mut RunOutput) {
        let is_current = |message: &&mut Message| message.id == *delta.item_id;
        match self.response.last_mut().filter(is_current) {
            Some(message) => message.is_streamed = true,
            None => {
                self.response.push(Message { id: delta.item_id.to_string(), is_streamed: true })
            }
        }
        output.text_delta(&delta.item_id, &delta.delta);
    }

    pub(crate) fn on_message_started(&mut self, id: &str, output: &mut RunOutput) {
        self.response.push(Message { id: id.to_owned(), is_streamed: false });
        output.event(Event::MessageStarted(MessageStarted { message_id: id.to_owned() }));
    }

    /// The complete message: its text is emitted only if nothing was streamed.
    pub(crate) fn on_message(&mut self, id: &str, text: &str, output: &mut RunOutput) {
        let is_streamed = match self.response.iter().find(|message| message.id == id) {
            Some(message) => message.is_streamed,
            None => {
                self.response.push(Message { id: id.to_owned(), is_streamed: false });
                false
            }
        };
        if !is_streamed && !text.is_empty() {
            output.text_delta(id, text);
        }
        output.event(Event::MessageStopped(MessageStopped { message_id: id.to_owned() }));
    }

    pub(crate) fn on_thought_started(&mut self, id: &str, output: &mut RunOutput) {
        self.thought = Some(Thought { id: id.to_owned(), source: None });
        output.event(Event::ThinkingStarted(ThinkingStarted { thinking_id: id.to_owned() }));
    }

    pub(crate) fn on_summary_delta(&mut self, delta: &Delta<'_>, output: &mut RunOutput) {
        self.on_thought_delta(delta, Source::Summary, &delta.delta, output);
    }

    pub(crate) fn on_raw_delta(&mut self, delta: &Delta<'_>, output: &mut RunOutput) {
        self.on_thought_delta(delta, Source::Raw, &delta.delta, output);
    }

    /// Starts the next part of a summary.
    pub(crate) fn on_summary_part(&mut self, delta: &Delta<'_>, output: &mut RunOutput) {
        if delta.summary_index > 0 {
            self.on_thought_delta(delta, Source::Summary, PART_SEPARATOR, output);
        }
    }

    fn on_thought_delta(
        &mut self,
        delta: &Delta<'_>,
        source: Source,
        text: &str,
        output: &mut RunOutput,
    ) {
        if self.thought.as_ref().is_none_or(|thought| thought.id != *delta.item_id) {
            self.on_thought_started(&delta.item_id, output);
        }
        let Some(thought) = &mut self.thought else { return };
        if *thought.source.get_or_insert(source) == source {
            output.thinking_delta(&delta.item_id, text);
        }
    }

    /// The complete thought: its text is emitted only if nothing was streamed.
    pub(crate) fn on_thought(&mut self, item: &Item, output: &mut RunOutput) {
        let open = self.thought.take().filter(|thought| thought.id == item.id);
        if open.is_none_or(|thought| thought.source.is_none()) {
            let text = thought_text(item);
            if !text.is_empty() {
                output.thinking_delta(&item.id, &text);
            }
        }
        let thinking_id = item.id.clone();
        output.event(Event::ThinkingStopped(ThinkingStopped { thinking_id }));
    }

    /// The response is complete: a retry does not repeat it.
    pub(crate) fn on_response_complete(&mut self) {
        self.response.clear();
    }

    /// The stream was interrupted and the CLI repeats the request: discards the response so far.
    pub(crate) fn discard_response(&mut self, output: &mut RunOutput) {
        if let Some(Thought { id: thinking_id, .. }) = self.thought.take() {
            output.event(Event::ThinkingStopped(ThinkingStopped { thinking_id }));
        }
        for Message { id: message_id, .. } in self.response.drain(..) {
            output.event(Event::MessageDiscarded(MessageDiscarded { message_id }));
        }
    }
}

fn thought_text(item: &Item) -> String {
    if !item.text.is_empty() {
        return item.text.clone();
    }
    if !item.summary.is_empty() {
        return item.summary.join(PART_SEPARATOR);
    }
    item.content.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(PART_SEPARATOR)
}
