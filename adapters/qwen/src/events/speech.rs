//! Text and thoughts of the model, as they stream or whole; and what Qwen Code says in its place.

use od_protocol::{Event, MessageDiscarded, MessageStopped, Status};
use od_sdk::RunOutput;
use od_sdk::stream_json::{BlockStream, Message, StreamLine, TokenUsage};

use super::tools::Tools;

/// How Qwen Code words a failed request, as a piece of its own at the end of the text (recordings
/// `auth`, `drop`).
const COMPLAINT: &str = "[API Error: ";

/// The message that is being said.
#[derive(Debug, Default)]
pub(super) struct Speech {
    message: Option<String>,
    blocks: BlockStream,
    /// It streams: `assistant` lines repeat what was said, under ids of their own (recording
    /// `think`).
    is_streaming: bool,
    /// A piece that looks like a complaint, until it is known whether its message goes on or has
    /// tokens: a request that failed has none.
    held: Option<String>,
    complaint: Option<String>,
    /// The whole message that is read has no tokens.
    is_free_whole: bool,
}

impl Speech {
    /// One event of the model's stream. `None`: not understood.
    pub(super) fn on_stream(
        &mut self,
        line: StreamLine<'_>,
        tools: &mut Tools,
        output: &mut RunOutput,
    ) -> Option<()> {
        let event = line.event;
        match &*event.kind {
            "content_block_delta" => {
                let delta = event.delta?;
                self.release(output);
                if delta.text.starts_with(COMPLAINT) {
                    self.held = Some(delta.text.into_owned());
                    return Some(());
                }
                let message = self.message.as_deref().unwrap_or("message");
                self.blocks.on_delta(message, event.index, &delta, output)?;
            }
            "content_block_start" => {
                let block = event.content_block?;
                self.release(output);
                if self.blocks.on_start(event.index, &block, output) {
                    tools.on_started(&block, output);
                }
            }
            "content_block_stop" => self.blocks.on_stop(event.index, output),
            "message_start" => self.begin_stream(event.message?.id, tools, output),
            "message_stop" => {
                self.complain();
                self.stop(output);
            }
            _ => return None,
        }
        Some(())
    }

    /// A message that begins while another streams takes its place: the request was made again.
    fn begin_stream(&mut self, id: String, tools: &mut Tools, output: &mut RunOutput) {
        self.held = None;
        if self.is_streaming {
            for call in self.blocks.abandon(output) {
                tools.abandon(&call, output);
            }
            if let Some(message_id) = self.message.take() {
                output.event(Event::MessageDiscarded(MessageDiscarded { message_id }));
            }
        }
        self.stop(output);
        self.blocks.clear();
        self.is_streaming = true;
        self.message = Some(id);
        output.event(Event::Status(Status {
            phase: "responding".to_owned(),
            detail: None,
            ttft_ms: None,
        }));
    }

    /// `assistant`: the tokens of the message decide what the held piece was.
    pub(super) fn begin_whole(&mut self, message: &Message, output: &mut RunOutput) {
        let is_free = message.usage.as_ref().is_none_or(is_nothing);
        if !is_free {
            self.release(output);
        }
        if !self.is_streaming {
            self.stop(output);
            self.message = Some(message.id.clone());
            self.is_free_whole = is_free;
        }
    }

    /// Text that was not streamed.
    pub(super) fn on_whole_text(&mut self, text: &str, output: &mut RunOutput) {
        if self.is_streaming {
            return;
        }
        match text.find(COMPLAINT).filter(|_| self.is_free_whole && text.ends_with(']')) {
            Some(at) => {
                self.say(&text[..at], output);
                self.complaint = Some(text[at..].to_owned());
            }
            None => self.say(text, output),
        }
    }

    /// A thought that was not streamed.
    pub(super) fn on_whole_thought(&mut self, text: &str, output: &mut RunOutput) {
        if !self.is_streaming {
            self.blocks.on_whole_thought(text, output);
        }
    }

    /// The turn is over. Gives back what was said in the model's place.
    pub(super) fn end(&mut self, output: &mut RunOutput) -> Option<String> {
        self.complain();
        self.stop(output);
        self.complaint.take()
    }

    /// Nothing followed what looked like a complaint: it was one.
    fn complain(&mut self) {
        self.complaint = self.held.take().or(self.complaint.take());
    }

    /// More came after what looked like a complaint: it was none.
    fn release(&mut self, output: &mut RunOutput) {
        if let Some(text) = self.held.take() {
            self.say(&text, output);
        }
    }

    fn say(&self, text: &str, output: &mut RunOutput) {
        if !text.is_empty() {
            output.text_delta(self.message.as_deref().unwrap_or("message"), text);
        }
    }

    fn stop(&mut self, output: &mut RunOutput) {
        self.is_streaming = false;
        if let Some(message_id) = self.message.take() {
            output.event(Event::MessageStopped(MessageStopped { message_id }));
        }
    }
}

fn is_nothing(usage: &TokenUsage) -> bool {
    usage.input_tokens == 0 && usage.output_tokens == 0
}
