//! Tool calls: emitted when the input is complete, and with the result.

use std::collections::HashMap;
use std::path::Path;

use od_protocol::{
    Event, FileChange, FileChangeSource, FileOp, Plan, PlanEntry, PlanStatus, ToolCallReady,
    ToolCallStarted, ToolResult, ToolStatus,
};
use od_sdk::RunOutput;
use serde_json::Value;

use crate::native::{ToolResultLine, ToolUse};
use crate::tool_names;

/// The error of a tool that the CLI lacks in this mode (recording `approval-default`).
const NOT_REGISTERED: &str = "tool_not_registered";

/// The open calls.
#[derive(Debug)]
pub(super) struct Tools {
    cwd: String,
    open: HashMap<String, ToolUse>,
}

impl Tools {
    pub(super) fn new(cwd: &str) -> Self {
        Self { cwd: cwd.to_owned(), open: HashMap::new() }
    }

    pub(super) fn on_use(&mut self, tool_use: ToolUse, output: &mut RunOutput) {
        let ToolUse { tool_name, tool_id, parameters } = &tool_use;
        output.event(Event::ToolCallStarted(ToolCallStarted {
            tool_call_id: tool_id.clone(),
            name: tool_name.clone(),
            kind: tool_names::kind(tool_name),
            title: None,
            mcp_server: None,
            parent_tool_call_id: None,
        }));
        output.event(Event::ToolCallReady(ToolCallReady {
            tool_call_id: tool_id.clone(),
            input: parameters.clone(),
            title: tool_names::title(parameters),
            truncated: None,
        }));
        if tool_name == "write_todos" {
            output.event(plan(parameters));
        }
        self.open.insert(tool_id.clone(), tool_use);
    }

    pub(super) fn on_result(&mut self, result: ToolResultLine, output: &mut RunOutput) {
        let call = self.open.remove(&result.tool_id).unwrap_or_default();
        let error_kind = result.error.as_ref().map(|error| error.kind.as_str());
        let status = match result.status.as_str() {
            "success" => ToolStatus::Ok,
            _ if output.is_cancelling() => ToolStatus::Cancelled,
            _ if error_kind == Some(NOT_REGISTERED)
                && tool_names::needs_approval(&call.tool_name) =>
            {
                ToolStatus::Denied
            }
            _ => ToolStatus::Error,
        };
        if status == ToolStatus::Ok {
            self.report_file(&call, output);
        }
        let text = result.output.or(result.error.map(|error| error.message)).unwrap_or_default();
        output.event(Event::ToolResult(ToolResult {
            tool_call_id: result.tool_id,
            status,
            output: Value::String(text),
            // The CLI reports every command as success, whatever its code (recording `shell`).
            exit_code: None,
            truncated: None,
        }));
    }

    /// Emits a file change from the call's input; whether the file existed before is unknown.
    fn report_file(&self, call: &ToolUse, output: &mut RunOutput) {
        let op = match call.tool_name.as_str() {
            "write_file" => FileOp::Create,
            "replace" => FileOp::Edit,
            _ => return,
        };
        let Some(path) = call.parameters.get("file_path").and_then(Value::as_str) else { return };
        output.event(Event::FileChange(FileChange {
            path: Path::new(&self.cwd).join(path).display().to_string(),
            op,
            from: None,
            source: FileChangeSource::Native,
            diff: None,
            tool_call_id: Some(call.tool_id.clone()),
            truncated: None,
        }));
    }
}

/// Each call contains the complete list.
fn plan(parameters: &Value) -> Event {
    let todos = parameters.get("todos").and_then(Value::as_array);
    let entry = |todo: &Value| {
        Some(PlanEntry {
            content: todo.get("description")?.as_str()?.to_owned(),
            status: PlanStatus::from_wire(todo.get("status")?.as_str()?),
        })
    };
    Event::Plan(Plan { entries: todos.into_iter().flatten().filter_map(entry).collect() })
}
