//! The events of a tool call.

use od_protocol::{Event, ToolCallStarted, ToolKind, ToolResult, ToolStatus};
use serde_json::Value;

use super::Block;
use crate::approval::mcp_server;
use crate::event;

/// The model starts a call.
pub fn call_started(block: &Block, kind: ToolKind) -> Event {
    let mcp_server = mcp_server(&block.name);
    let started = event::tool_call_started(&block.id, &block.name, kind);
    Event::ToolCallStarted(ToolCallStarted { mcp_server, ..started })
}

/// The whole input is known.
pub fn call_ready(block: &Block, title: Option<String>) -> Event {
    event::tool_call_ready(&block.id, block.input.clone(), title)
}

/// The result of a call.
pub fn call_result(id: &str, status: ToolStatus, output: Value, exit_code: Option<i32>) -> Event {
    Event::ToolResult(ToolResult { exit_code, ..event::tool_result(id, status, output) })
}
