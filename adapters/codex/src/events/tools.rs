//! Tool calls: start, output, result and changed files.

use std::collections::HashMap;

use od_protocol::{
    Event, Image, ToolCallReady, ToolCallStarted, ToolOutputDelta, ToolResult, ToolStatus,
};
use od_sdk::RunOutput;
use serde_json::Value;

use super::{files, items};
use crate::native::{Delta, Item};

/// The CLI's error text for a denied tool of an MCP server (recording `mcp_decline`).
const MCP_DENIAL: &str = "user rejected MCP tool call";

/// The open calls, by id.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    open: HashMap<String, Item>,
}

impl Tools {
    /// Returns an open call.
    pub(crate) fn get(&self, id: &str) -> Option<&Item> {
        self.open.get(id)
    }

    pub(crate) fn on_started(&mut self, item: &Item, output: &mut RunOutput) {
        output.event(Event::ToolCallStarted(ToolCallStarted {
            tool_call_id: item.id.clone(),
            name: items::name(item),
            kind: items::tool_kind(item),
            title: None,
            mcp_server: Some(item.server.clone()).filter(|server| !server.is_empty()),
            parent_tool_call_id: None,
        }));
        // The query of a web search is known only at its end.
        if items::kind_of(&item.kind) != "webSearch" {
            emit_ready(item, output);
        }
        self.open.insert(item.id.clone(), item.clone());
    }

    pub(crate) fn on_output(&mut self, delta: &Delta<'_>, output: &mut RunOutput) {
        output.event(Event::ToolOutputDelta(ToolOutputDelta {
            tool_call_id: delta.item_id.to_string(),
            text: delta.delta.to_string(),
            stream: None,
            truncated: None,
        }));
    }

    /// The call ended. Some calls have no start line.
    pub(crate) fn on_completed(&mut self, item: &Item, output: &mut RunOutput) {
        if !self.open.contains_key(&item.id) {
            self.on_started(item, output);
        }
        if items::kind_of(&item.kind) == "webSearch" {
            emit_ready(item, output);
        }
        self.open.remove(&item.id);
        let status = status(item, output.is_cancelling());
        if status == ToolStatus::Ok {
            files::report(item, output);
            report_image(item, output);
        }
        output.event(Event::ToolResult(ToolResult {
            tool_call_id: item.id.clone(),
            status,
            output: result(item),
            exit_code: item.exit_code,
            truncated: None,
        }));
    }
}

fn emit_ready(item: &Item, output: &mut RunOutput) {
    output.event(Event::ToolCallReady(ToolCallReady {
        tool_call_id: item.id.clone(),
        input: items::input(item),
        title: items::title(item),
        truncated: None,
    }));
}

/// Returns the status. Searches and images have none; they succeeded.
fn status(item: &Item, is_cancelling: bool) -> ToolStatus {
    match item.status.as_str() {
        "completed" | "" => ToolStatus::Ok,
        "declined" => ToolStatus::Denied,
        "interrupted" => ToolStatus::Cancelled,
        "failed" if is_cancelling => ToolStatus::Cancelled,
        "failed" if item.error["message"] == MCP_DENIAL => ToolStatus::Denied,
        "failed" => ToolStatus::Error,
        _ => ToolStatus::Unknown,
    }
}

fn result(item: &Item) -> Value {
    match items::kind_of(&item.kind) {
        "commandExecution" => item.aggregated_output.clone().map_or(Value::Null, Value::String),
        "collabAgentToolCall" => {
            item.agents_states.clone().into_iter().collect::<serde_json::Map<_, _>>().into()
        }
        _ if !item.error.is_null() => item.error.get("message").unwrap_or(&item.error).clone(),
        _ => text_of(&item.result),
    }
}

/// Returns the text of an MCP result, or the unchanged result if it has other parts.
fn text_of(result: &Value) -> Value {
    let Some(parts) = result.get("content").and_then(Value::as_array) else {
        return result.clone();
    };
    let texts: Option<Vec<&str>> =
        parts.iter().map(|part| part.get("text").and_then(Value::as_str)).collect();
    texts.map_or_else(|| result.clone(), |texts| texts.join("\n").into())
}

/// Emits a generated image.
fn report_image(item: &Item, output: &mut RunOutput) {
    if let Some(path) = &item.saved_path {
        output.event(Event::Image(Image {
            mime: "image/png".to_owned(),
            data: None,
            path: Some(path.clone()),
        }));
    }
}
