//! Tool calls: emitted when the input is complete, and with the result.

use std::collections::HashMap;

use od_protocol::{Event, FileChange, FileOp, Plan, PlanEntry, PlanStatus, ToolStatus};
use od_sdk::text::absolute_path;
use od_sdk::{RunOutput, event};
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
        let started = event::tool_call_started(tool_id, tool_name, tool_names::kind(tool_name));
        output.event(Event::ToolCallStarted(started));
        let title = tool_names::title(parameters);
        output.event(event::tool_call_ready(tool_id, parameters.clone(), title));
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
        // No exit code: the CLI reports every command as success (recording `shell`).
        output.event(Event::ToolResult(event::tool_result(result.tool_id, status, text)));
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
            tool_call_id: Some(call.tool_id.clone()),
            ..event::file_change(absolute_path(path, &self.cwd), op)
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
