//! Text and thoughts of the model: as they stream, or whole where nothing streamed; and the
//! streams that broke off.

use od_protocol::{Event, MessageDiscarded, MessageStopped, Status};
use od_sdk::RunOutput;
use od_sdk::stream_json::{BlockStream, StreamLine};

use super::meter::Meter;
use super::tools::Tools;

/// The message that is being said.
#[derive(Debug, Default)]
pub(super) struct Speech {
    /// The message that is open, streaming or whole.
    message: Option<String>,
    /// Its blocks, while it streams.
    blocks: BlockStream,
    /// It streams and has not come to its end.
    is_streaming: bool,
    /// The last message that streamed: its `assistant` lines repeat what was said.
    streamed: Option<String>,
}

impl Speech {
    /// One event of the model's stream. `None`: not understood.
    pub(super) fn on_stream(
        &mut self,
        line: StreamLine<'_>,
        tools: &mut Tools,
        meter: &mut Meter,
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
                meter.on_message(message.usage.as_ref());
                self.begin_stream(message.id, tools, output);
                output.event(Event::Status(Status {
                    phase: "responding".to_owned(),
                    detail: None,
                    ttft_ms: line.ttft_ms.map(|ttft| ttft as u64),
                }));
            }
            "message_delta" => {
                meter.on_message(event.usage.as_deref());
                self.is_streaming = false;
            }
            // A stream that broke off is stopped too, but without its `message_delta`.
            "message_stop" if self.is_streaming => {}
            "message_stop" => self.stop_message(output),
            "ping" => {}
            _ => return None,
        }
        Some(())
    }

    fn begin_stream(&mut self, id: String, tools: &mut Tools, output: &mut RunOutput) {
        self.drop_broken(&id, tools, output);
        self.stop_message(output);
        self.blocks.clear();
        self.is_streaming = true;
        self.streamed = Some(id.clone());
        self.message = Some(id);
    }

    /// A message, or one block of it, that comes whole.
    pub(super) fn begin_whole(&mut self, id: &str, tools: &mut Tools, output: &mut RunOutput) {
        self.drop_broken(id, tools, output);
        if self.message.as_deref() != Some(id) && !self.was_streamed(id) {
            self.stop_message(output);
            self.message = Some(id.to_owned());
        }
    }

    /// Whether the text of this message was already said piece by piece.
    pub(super) fn was_streamed(&self, id: &str) -> bool {
        self.streamed.as_deref() == Some(id)
    }

    /// A stream that breaks off is asked for again, and the answer comes under a new id: what was
    /// said before no longer counts (recordings `drop`, `sj_malformed`, `sj_sseerr`).
    fn drop_broken(&mut self, next_id: &str, tools: &mut Tools, output: &mut RunOutput) {
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

    /// A thought that comes whole.
    pub(super) fn on_whole_thought(&mut self, text: &str, output: &mut RunOutput) {
        self.blocks.on_whole_thought(text, output);
    }

    /// The turn is over: an interrupted message stays as it is.
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
