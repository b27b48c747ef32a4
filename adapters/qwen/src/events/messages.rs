//! Text and thoughts of the model, streamed or complete, and the error text that Qwen Code prints
//! in their place.

use od_protocol::{Event, MessageDiscarded, MessageStopped, Status};
use od_sdk::RunOutput;
use od_sdk::stream_json::{BlockStream, Message, StreamLine, TokenUsage};

use super::tools::Tools;

/// Prefix of a failed request: a separate delta at the end of the text (recordings `auth`,
/// `drop`).
const ERROR_PREFIX: &str = "[API Error: ";

/// The current message.
#[derive(Debug, Default)]
pub(super) struct Messages {
    message: Option<String>,
    blocks: BlockStream,
    /// The message is streamed; `assistant` lines then repeat its text under other ids (recording
    /// `think`).
    is_streaming: bool,
    /// A delta that looks like an error, until more text or the message's tokens decide: a failed
    /// request has no tokens.
    possible_error: Option<String>,
    error_text: Option<String>,
    /// The current complete message has no tokens.
    has_no_tokens: bool,
}

impl Messages {
    /// Maps one event of the model's stream; `None` when its type is unknown.
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
                self.flush_possible_error(output);
                if delta.text.starts_with(ERROR_PREFIX) {
                    self.possible_error = Some(delta.text.into_owned());
                    return Some(());
                }
                let message = self.message.as_deref().unwrap_or("message");
                self.blocks.on_delta(message, event.index, &delta, output)?;
            }
            "content_block_start" => {
                let block = event.content_block?;
                self.flush_possible_error(output);
                if self.blocks.on_start(event.index, &block, output) {
                    tools.on_started(&block, output);
                }
            }
            "content_block_stop" => self.blocks.on_stop(event.index, output),
            "message_start" => self.start_streamed(event.message?.id, tools, output),
            "message_stop" => {
                self.confirm_error();
                self.stop(output);
            }
            _ => return None,
        }
        Some(())
    }

    /// A message that starts while another is streamed replaces it: the CLI repeated the request.
    fn start_streamed(&mut self, id: String, tools: &mut Tools, output: &mut RunOutput) {
        self.possible_error = None;
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

    /// Starts a complete message (`assistant`); its tokens decide whether the delta was an error.
    pub(super) fn start_complete(&mut self, message: &Message, output: &mut RunOutput) {
        let has_no_tokens = message.usage.as_ref().is_none_or(is_zero);
        if !has_no_tokens {
            self.flush_possible_error(output);
        }
        if !self.is_streaming {
            self.stop(output);
            self.message = Some(message.id.clone());
            self.has_no_tokens = has_no_tokens;
        }
    }

    /// Emits text that was not streamed.
    pub(super) fn on_complete_text(&mut self, text: &str, output: &mut RunOutput) {
        if self.is_streaming {
            return;
        }
        match text.find(ERROR_PREFIX).filter(|_| self.has_no_tokens && text.ends_with(']')) {
            Some(at) => {
                self.emit_text(&text[..at], output);
                self.error_text = Some(text[at..].to_owned());
            }
            None => self.emit_text(text, output),
        }
    }

    /// Emits a thought that was not streamed.
    pub(super) fn on_complete_thought(&mut self, text: &str, output: &mut RunOutput) {
        if !self.is_streaming {
            self.blocks.on_whole_thought(text, output);
        }
    }

    /// Ends the turn and returns the error text, if the request failed.
    pub(super) fn end(&mut self, output: &mut RunOutput) -> Option<String> {
        self.confirm_error();
        self.stop(output);
        self.error_text.take()
    }

    /// No text followed the possible error: it was one.
    fn confirm_error(&mut self) {
        self.error_text = self.possible_error.take().or(self.error_text.take());
    }

    /// More text followed the possible error: it was ordinary text.
    fn flush_possible_error(&mut self, output: &mut RunOutput) {
        if let Some(text) = self.possible_error.take() {
            self.emit_text(&text, output);
        }
    }

    fn emit_text(&self, text: &str, output: &mut RunOutput) {
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

fn is_zero(usage: &TokenUsage) -> bool {
    usage.input_tokens == 0 && usage.output_tokens == 0
}
