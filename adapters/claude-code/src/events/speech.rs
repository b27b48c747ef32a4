//! Text and thoughts of the model: as they stream, or whole where nothing streamed; and the
//! streams that broke off.

use od_protocol::{
    Event, MessageDiscarded, MessageStopped, Status, ThinkingStarted, ThinkingStopped,
};
use od_sdk::RunOutput;

use super::meter::Meter;
use super::tools::Tools;
use crate::native::{Block, Delta, StreamLine};

/// What a block of the streaming message is.
#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Text,
    Thinking(String),
    Tool(String),
    Other,
}

/// The message that is being said.
#[derive(Debug, Default)]
pub(super) struct Speech {
    /// The message that is open, streaming or whole.
    message: Option<String>,
    /// Its blocks by index, while it streams.
    pieces: Vec<Piece>,
    /// It streams and has not come to its end.
    is_streaming: bool,
    /// The last message that streamed: its `assistant` lines repeat what was said.
    streamed: Option<String>,
    thoughts: u32,
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
            "content_block_delta" => self.on_delta(event.index, &event.delta?, output)?,
            "content_block_start" => {
                self.on_block(event.index, *event.content_block?, tools, output);
            }
            "content_block_stop" => self.on_block_stop(event.index, output),
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

    /// The hot path: nothing is allocated here.
    fn on_delta(&mut self, index: usize, delta: &Delta<'_>, output: &mut RunOutput) -> Option<()> {
        match (&*delta.kind, self.pieces.get(index)) {
            ("text_delta", _) => {
                output.text_delta(self.message.as_deref().unwrap_or("message"), &delta.text);
            }
            ("thinking_delta", Some(Piece::Thinking(id))) => {
                output.thinking_delta(id, &delta.thinking);
            }
            ("input_json_delta", Some(Piece::Tool(id))) => {
                output.tool_input_delta(id, &delta.partial_json);
            }
            ("thinking_delta" | "input_json_delta" | "signature_delta" | "citations_delta", _) => {}
            _ => return None,
        }
        Some(())
    }

    fn on_block(&mut self, index: usize, block: Block, tools: &mut Tools, output: &mut RunOutput) {
        let piece = match block.kind.as_str() {
            "text" => Piece::Text,
            "thinking" => Piece::Thinking(self.begin_thought(output)),
            "tool_use" | "server_tool_use" | "mcp_tool_use" => {
                tools.on_started(&block, output);
                Piece::Tool(block.id)
            }
            _ => Piece::Other,
        };
        // Indices count up from 0; a gap is filled rather than trusted.
        self.pieces.truncate(index);
        while self.pieces.len() < index.min(MAX_BLOCKS) {
            self.pieces.push(Piece::Other);
        }
        self.pieces.push(piece);
    }

    fn on_block_stop(&mut self, index: usize, output: &mut RunOutput) {
        if let Some(Piece::Thinking(thinking_id)) = self.pieces.get(index) {
            output.event(Event::ThinkingStopped(ThinkingStopped {
                thinking_id: thinking_id.clone(),
            }));
        }
    }

    fn begin_stream(&mut self, id: String, tools: &mut Tools, output: &mut RunOutput) {
        self.drop_broken(&id, tools, output);
        self.stop_message(output);
        self.pieces.clear();
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
        for piece in self.pieces.drain(..) {
            match piece {
                Piece::Thinking(thinking_id) => {
                    output.event(Event::ThinkingStopped(ThinkingStopped { thinking_id }));
                }
                Piece::Tool(id) => tools.abandon(&id, output),
                Piece::Text | Piece::Other => {}
            }
        }
        if let Some(message_id) = self.message.take() {
            output.event(Event::MessageDiscarded(MessageDiscarded { message_id }));
        }
    }

    /// A thought that comes whole.
    pub(super) fn on_whole_thought(&mut self, text: &str, output: &mut RunOutput) {
        let thinking_id = self.begin_thought(output);
        output.thinking_delta(&thinking_id, text);
        output.event(Event::ThinkingStopped(ThinkingStopped { thinking_id }));
    }

    fn begin_thought(&mut self, output: &mut RunOutput) -> String {
        self.thoughts += 1;
        let thinking_id = format!("thought-{}", self.thoughts);
        output.event(Event::ThinkingStarted(ThinkingStarted { thinking_id: thinking_id.clone() }));
        thinking_id
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

/// More blocks than any message has; an index beyond is not followed.
const MAX_BLOCKS: usize = 10_000;
