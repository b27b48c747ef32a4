//! Text and thoughts of the model, streamed or complete, and interrupted streams.

use od_protocol::{Event, MessageDiscarded, MessageStopped, Status};
use od_sdk::RunOutput;
use od_sdk::stream_json::{BlockStream, StreamLine};

use super::tools::Tools;
use super::usage::UsageTracker;

/// The current message.
#[derive(Debug, Default)]
pub(super) struct Messages {
    /// The id of the open message.
    message: Option<String>,
    /// Its blocks, if it is streamed.
    blocks: BlockStream,
    /// The message is streamed and its end is missing.
    is_streaming: bool,
    /// The last streamed message: its `assistant` lines repeat the text.
    streamed: Option<String>,
}

impl Messages {
    /// Maps one event of the model's stream; `None` when its type is unknown.
    pub(super) fn on_stream(
        &mut self,
        line: StreamLine<'_>,
        tools: &mut Tools,
        usage: &mut UsageTracker,
        output: &mut RunOutput,
    ) -> Option<()> {
        let event = line.event;
        match &*event.kind {
            "content_block_delta" => {
                let message = self.message.as_deref().unwrap_or("message");
                self.blocks.on_delta(message, event.index, &event.delta?, output)?;
            }
            "content_block_start" => {
                let block = event.content_block?;
                if self.blocks.on_start(event.index, &block, output) {
                    tools.on_started(&block, output);
                }
            }
            "content_block_stop" => self.blocks.on_stop(event.index, output),
            "message_start" => {
                let message = event.message?;
                usage.on_message(message.usage.as_ref());
                self.start_streamed(message.id, tools, output);
                output.event(Event::Status(Status {
                    phase: "responding".to_owned(),
                    detail: None,
                    ttft_ms: line.ttft_ms.map(|ttft| ttft as u64),
                }));
            }
            "message_delta" => {
                usage.on_message(event.usage.as_deref());
                self.is_streaming = false;
            }
            // An interrupted stream has a `message_stop` too, but no `message_delta`.
            "message_stop" if self.is_streaming => {}
            "message_stop" => self.stop_message(output),
            "ping" => {}
            _ => return None,
        }
        Some(())
    }

    fn start_streamed(&mut self, id: String, tools: &mut Tools, output: &mut RunOutput) {
        self.discard_interrupted(&id, tools, output);
        self.stop_message(output);
        self.blocks.clear();
        self.is_streaming = true;
        self.streamed = Some(id.clone());
        self.message = Some(id);
    }

    /// Starts a complete message, or one block of it (`assistant`).
    pub(super) fn start_complete(&mut self, id: &str, tools: &mut Tools, output: &mut RunOutput) {
        self.discard_interrupted(id, tools, output);
        if self.message.as_deref() != Some(id) && !self.was_streamed(id) {
            self.stop_message(output);
            self.message = Some(id.to_owned());
        }
    }

    /// Whether the text of this message was already streamed.
    pub(super) fn was_streamed(&self, id: &str) -> bool {
        self.streamed.as_deref() == Some(id)
    }

    /// The CLI repeats the request of an interrupted stream, and the answer has a new id: the text so
    /// far is discarded (recordings `drop`, `sj_malformed`, `sj_sseerr`).
    fn discard_interrupted(&mut self, next_id: &str, tools: &mut Tools, output: &mut RunOutput) {
        if !self.is_streaming || self.message.as_deref() == Some(next_id) {
            return;
        }
        self.is_streaming = false;
        for call in self.blocks.abandon(output) {
            tools.abandon(&call, output);
        }
        if let Some(message_id) = self.message.take() {
            output.event(Event::MessageDiscarded(MessageDiscarded { message_id }));
        }
    }

    /// Emits a thought that was not streamed.
    pub(super) fn on_complete_thought(&mut self, text: &str, output: &mut RunOutput) {
        self.blocks.on_whole_thought(text, output);
    }

    /// Ends the turn. The text of an interrupted message is kept.
    pub(super) fn end(&mut self, output: &mut RunOutput) {
        self.is_streaming = false;
        self.stop_message(output);
    }

    fn stop_message(&mut self, output: &mut RunOutput) {
        if let Some(message_id) = self.message.take() {
            output.event(Event::MessageStopped(MessageStopped { message_id }));
        }
    }
}
