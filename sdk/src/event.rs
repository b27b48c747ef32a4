//! Builds events. Optional fields that most adapters leave out are absent; set them with struct update
//! syntax.

use od_protocol::{
    Event, FileChange, FileChangeSource, FileOp, Notice, NoticeLevel, RateLimited, ToolCallReady,
    ToolCallStarted, ToolKind, ToolOutputDelta, ToolResult, ToolStatus,
};
use serde_json::Value;

/// The start of a tool call, without title, MCP server and parent.
///
/// ```
/// use od_protocol::{Event, ToolCallStarted, ToolKind};
/// use od_sdk::event;
///
/// let started = event::tool_call_started("call-1", "list_files", ToolKind::Other);
/// let mcp_server = Some("files".to_owned());
/// let event = Event::ToolCallStarted(ToolCallStarted { mcp_server, ..started });
/// assert_eq!(event.type_name(), "tool_call_started");
/// ```
pub fn tool_call_started(
    tool_call_id: impl Into<String>,
    name: impl Into<String>,
    kind: ToolKind,
) -> ToolCallStarted {
    ToolCallStarted {
        tool_call_id: tool_call_id.into(),
        name: name.into(),
        kind,
        title: None,
        mcp_server: None,
        parent_tool_call_id: None,
    }
}

/// The complete input of a tool call.
pub fn tool_call_ready(
    tool_call_id: impl Into<String>,
    input: Value,
    title: Option<String>,
) -> Event {
    let tool_call_id = tool_call_id.into();
    Event::ToolCallReady(ToolCallReady { tool_call_id, input, title, truncated: None })
}

/// A piece of a tool's output, of an unknown stream.
pub fn tool_output_delta(
    tool_call_id: impl Into<String>,
    text: impl Into<String>,
) -> ToolOutputDelta {
    ToolOutputDelta {
        tool_call_id: tool_call_id.into(),
        text: text.into(),
        stream: None,
        truncated: None,
    }
}

/// The result of a tool call, without an exit code.
pub fn tool_result(
    tool_call_id: impl Into<String>,
    status: ToolStatus,
    output: impl Into<Value>,
) -> ToolResult {
    ToolResult {
        tool_call_id: tool_call_id.into(),
        status,
        output: output.into(),
        exit_code: None,
        truncated: None,
    }
}

/// A change that the agent CLI itself reports, without a diff and a tool call.
pub fn file_change(path: impl Into<String>, op: FileOp) -> FileChange {
    FileChange {
        path: path.into(),
        op,
        from: None,
        source: FileChangeSource::Native,
        diff: None,
        tool_call_id: None,
        truncated: None,
    }
}

/// A notice without a hint.
pub fn notice(level: NoticeLevel, code: &str, text: impl Into<String>) -> Notice {
    Notice { level, code: code.to_owned(), text: text.into(), hint: None }
}

/// A rate limit that the agent CLI reports.
pub fn rate_limited(retry_after_ms: Option<u64>) -> RateLimited {
    RateLimited { retry_after_ms, resets_at: None, window: None, source: "cli".to_owned() }
}
