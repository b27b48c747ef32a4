//! The blocks of the streamed message: assigns each piece to its block.

use od_protocol::{Event, ThinkingStarted, ThinkingStopped};

use super::{Block, Delta};
use crate::RunOutput;

/// More blocks than any message has; a larger index is ignored.
const MAX_BLOCKS: usize = 10_000;

/// The kind of a block.
#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Text,
    Thinking(String),
    Tool(String),
    Other,
}

/// The blocks of one message by index. Some agent CLIs use index 0 for every block: a new block
/// replaces the one with its index.
#[derive(Debug, Default)]
pub struct BlockStream {
    pieces: Vec<Piece>,
    thoughts: u32,
}

impl BlockStream {
    /// Another message starts.
    pub fn clear(&mut self) {
        self.pieces.clear();
    }

    /// `content_block_delta`: the hot path, without allocation. Returns `None` for an unknown one.
    pub fn on_delta(
        &self,
        message_id: &str,
        index: usize,
        delta: &Delta<'_>,
        output: &mut RunOutput,
    ) -> Option<()> {
        match (&*delta.kind, self.pieces.get(index)) {
            ("text_delta", _) => output.text_delta(message_id, &delta.text),
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

    /// `content_block_start`; returns `true` for a tool call, which the caller emits.
    pub fn on_start(&mut self, index: usize, block: &Block, output: &mut RunOutput) -> bool {
        let piece = match block.kind.as_str() {
            "text" => Piece::Text,
            "thinking" => Piece::Thinking(self.begin_thought(output)),
            "tool_use" | "server_tool_use" | "mcp_tool_use" => Piece::Tool(block.id.clone()),
            _ => Piece::Other,
        };
        let is_tool = matches!(piece, Piece::Tool(_));
        // Indices count up from 0; gaps are filled.
        self.pieces.truncate(index);
        while self.pieces.len() < index.min(MAX_BLOCKS) {
            self.pieces.push(Piece::Other);
        }
        self.pieces.push(piece);
        is_tool
    }

    /// `content_block_stop`.
    pub fn on_stop(&self, index: usize, output: &mut RunOutput) {
        if let Some(Piece::Thinking(thinking_id)) = self.pieces.get(index) {
            output.event(Event::ThinkingStopped(ThinkingStopped {
                thinking_id: thinking_id.clone(),
            }));
        }
    }

    /// The stream was interrupted: closes its thinking and returns its started tool calls.
    pub fn abandon(&mut self, output: &mut RunOutput) -> Vec<String> {
        let mut calls = Vec::new();
        for piece in self.pieces.drain(..) {
            match piece {
                Piece::Thinking(thinking_id) => {
                    output.event(Event::ThinkingStopped(ThinkingStopped { thinking_id }));
                }
                Piece::Tool(id) => calls.push(id),
                Piece::Text | Piece::Other => {}
            }
        }
        calls
    }

    /// Emits thinking that comes as a whole.
    pub fn on_whole_thought(&mut self, text: &str, output: &mut RunOutput) {
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
}
