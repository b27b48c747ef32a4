//! Native messages to protocol events: a pure state machine without clock, file or process.

use od_protocol::{
    Event, ToolCallReady, ToolCallStarted, ToolKind, ToolResult, ToolStatus, Usage, UsageScope,
    UsageSource,
};
use od_sdk::{Mapper, RunOutcome, RunOutput};
use serde_json::Value;

use crate::native::{Message, TokenUsage};

/// The id of the one message of a run: `my-agent` does not number its messages.
const MESSAGE_ID: &str = "message-1";

/// The mapper of one run.
#[derive(Debug, Default)]
pub struct Events;

impl Mapper for Events {
    fn on_line(&mut self, line: &[u8], output: &mut RunOutput) {
        match serde_json::from_slice(line) {
            Ok(Message::Text { text }) => output.text_delta(MESSAGE_ID, &text),
            Ok(Message::ToolCall { id, name, input }) => on_tool_call(id, name, input, output),
            Ok(Message::ToolResult { id, ok, output: result }) => {
                output.event(tool_result(id, ok, result));
            }
            Ok(Message::Usage(tokens)) => output.event(usage(&tokens)),
            // The exit code proves nothing: only this message completes the run.
            Ok(Message::End) => output.finish(RunOutcome::COMPLETED),
            Err(_) => on_unknown(line, output),
        }
    }
}

fn on_tool_call(id: String, name: String, input: Value, output: &mut RunOutput) {
    output.event(Event::ToolCallStarted(ToolCallStarted {
        tool_call_id: id.clone(),
        kind: tool_kind(&name),
        name,
        title: None,
        mcp_server: None,
        parent_tool_call_id: None,
    }));
    output.event(Event::ToolCallReady(ToolCallReady {
        tool_call_id: id,
        input,
        title: None,
        truncated: None,
    }));
}

fn tool_kind(name: &str) -> ToolKind {
    match name {
        "shell" => ToolKind::Execute,
        _ => ToolKind::Other,
    }
}

fn tool_result(id: String, ok: bool, output: Value) -> Event {
    Event::ToolResult(ToolResult {
        tool_call_id: id,
        status: if ok { ToolStatus::Ok } else { ToolStatus::Error },
        output,
        exit_code: None,
        truncated: None,
    })
}

fn usage(tokens: &TokenUsage) -> Event {
    let TokenUsage { input, output, cache_read, cache_write, cost } = *tokens;
    Event::Usage(Usage {
        scope: UsageScope::Run,
        cumulative: true,
        input_tokens: input,
        output_tokens: output,
        cache_read_tokens: cache_read,
        cache_write_tokens: cache_write,
        reasoning_tokens: None,
        total_tokens: input + output + cache_read + cache_write,
        cost_usd: cost,
        model: None,
        provider: None,
        service_tier: None,
        source: UsageSource::Cli,
    })
}

/// An unknown JSON object comes from a later version of the CLI and is counted; any other line is
/// noise.
fn on_unknown(line: &[u8], output: &mut RunOutput) {
    let Ok(Value::Object(object)) = serde_json::from_slice(line) else { return };
    let native_type = object.get("type").and_then(Value::as_str).unwrap_or("no type");
    output.unmapped(native_type, line);
}
