//! Tool calls: told when their input is complete, and again with their result.

use std::collections::HashMap;
use std::path::Path;

use od_protocol::{
    Event, FileChange, FileChangeSource, FileOp, Plan, PlanEntry, PlanStatus, ToolCallReady,
    ToolCallStarted, ToolResult, ToolStatus,
};
use od_sdk::RunOutput;
use serde_json::Value;

use crate::native::{ToolResultLine, ToolUse};
use crate::words;

/// The error of a tool the CLI does not have in this mode (recording `approval-default`).
const NOT_REGISTERED: &str = "tool_not_registered";

/// The calls that are open.
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
            kind: words::kind(tool_name),
            title: None,
            mcp_server: None,
            parent_tool_call_id: None,
        }));
        output.event(Event::ToolCallReady(ToolCallReady {
            tool_call_id: tool_id.clone(),
            input: parameters.clone(),
            title: words::title(parameters),
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
            _ if error_kind == Some(NOT_REGISTERED) && words::is_withheld(&call.tool_name) => {
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
            // The CLI calls every command a success, whatever its code (recording `shell`).
            exit_code: None,
            truncated: None,
        }));
    }

    /// A written file is told by the call's input only: whether it was there before is not known.
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

/// All of the list comes with each call.
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
