//! Tool calls: a part whose state goes from pending over running to completed or error. `opencode
//! run` reports only the last state.

use std::collections::HashMap;

use od_protocol::{
    Event, FileChange, Plan, PlanEntry, PlanStatus, SubagentStarted, SubagentStopped, ToolResult,
    ToolStatus,
};
use serde_json::Value;

use super::native::{Part, ToolState};
use super::{file_changes::file_changes, tool_names};
use od_sdk::{RunOutput, event};

/// The start of a tool's error text when a person or a rule denied the call.
const DENIALS: &[&str] = &[
    "The user rejected permission",
    "The user has specified a rule which prevents",
    "The user dismissed this question",
];
/// The start of the text when the run was stopped.
const ABORTED: &str = "Tool execution aborted";
/// The tool that starts a subagent.
const SUBAGENT_TOOL: &str = "task";
/// The tool that maintains the plan.
const PLAN_TOOL: &str = "todowrite";

/// A call that was started.
#[derive(Debug)]
struct Call {
    /// Its id in the events.
    id: String,
    is_ready: bool,
    /// How much of its output was emitted, in bytes.
    emitted_bytes: usize,
}

/// The calls of a run, by part.
#[derive(Debug, Default)]
pub(super) struct Tools {
    open: HashMap<String, Call>,
    /// Part id by call id; a model may use a call id again.
    parts_by_call: HashMap<String, String>,
}

impl Tools {
    /// The id in the events of the call with this native id.
    pub(super) fn id_of(&self, call_id: &str) -> String {
        let part_id = self.parts_by_call.get(call_id);
        let call = part_id.and_then(|part_id| self.open.get(part_id));
        call.map_or_else(|| call_id.to_owned(), |call| call.id.clone())
    }

    pub(super) fn on_part(&mut self, part: &Part, output: &mut RunOutput) {
        let Some(state) = &part.state else { return };
        match state.status.as_str() {
            "pending" => self.ensure_started(part, output),
            "running" => {
                self.ensure_ready(part, state, output);
                self.emit_output(part, state, output);
            }
            "completed" | "error" => self.on_result(part, state, output),
            other => output.unmapped(&format!("tool/{other}"), other.as_bytes()),
        }
    }

    fn ensure_started(&mut self, part: &Part, output: &mut RunOutput) {
        if self.open.contains_key(&part.id) {
            return;
        }
        let owner =
            self.parts_by_call.entry(part.call_id.clone()).or_insert_with(|| part.id.clone());
        let is_taken = *owner != part.id || part.call_id.is_empty();
        let id = if is_taken { part.id.clone() } else { part.call_id.clone() };
        let kind = tool_names::tool_kind(&part.tool);
        output.event(Event::ToolCallStarted(event::tool_call_started(&id, &part.tool, kind)));
        self.open.insert(part.id.clone(), Call { id, is_ready: false, emitted_bytes: 0 });
    }

    /// All of the input is known.
    fn ensure_ready(&mut self, part: &Part, state: &ToolState, output: &mut RunOutput) {
        self.ensure_started(part, output);
        let Some(call) = self.open.get_mut(&part.id).filter(|call| !call.is_ready) else { return };
        call.is_ready = true;
        let title = tool_names::title(&part.tool, &state.input);
        output.event(event::tool_call_ready(&call.id, state.input.clone(), title.clone()));
        match part.tool.as_str() {
            SUBAGENT_TOOL => output.event(Event::SubagentStarted(SubagentStarted {
                subagent_id: call.id.clone(),
                title: title.unwrap_or_default(),
                parent_tool_call_id: Some(call.id.clone()),
            })),
            PLAN_TOOL => report_plan(&state.input, output),
            _ => {}
        }
    }

    /// Emits the new output of a running command, which grows in `metadata`.
    fn emit_output(&mut self, part: &Part, state: &ToolState, output: &mut RunOutput) {
        let Some(call) = self.open.get_mut(&part.id) else { return };
        let text = state.metadata.get("output").and_then(Value::as_str).unwrap_or_default();
        if let Some(rest) = text.get(call.emitted_bytes..).filter(|rest| !rest.is_empty()) {
            output.event(Event::ToolOutputDelta(event::tool_output_delta(&call.id, rest)));
            call.emitted_bytes = text.len();
        }
    }

    fn on_result(&mut self, part: &Part, state: &ToolState, output: &mut RunOutput) {
        self.ensure_ready(part, state, output);
        let Some(call) = self.open.remove(&part.id) else { return };
        let result = result(&call.id, state, output.is_cancelling());
        let status = result.status;
        if status == ToolStatus::Ok {
            for change in file_changes(&part.tool, state) {
                let tool_call_id = Some(call.id.clone());
                output.event(Event::FileChange(FileChange { tool_call_id, ..change }));
            }
        }
        if part.tool == SUBAGENT_TOOL {
            output.event(Event::SubagentStopped(SubagentStopped {
                subagent_id: call.id.clone(),
                title: tool_names::title(&part.tool, &state.input).unwrap_or_default(),
                parent_tool_call_id: Some(call.id.clone()),
                status: Some(status),
                summary: None,
            }));
        }
        output.event(Event::ToolResult(result));
    }
}

/// The result of a call.
pub(super) fn result(id: &str, state: &ToolState, is_cancelling: bool) -> ToolResult {
    let exit_code = state.metadata.get("exit").and_then(Value::as_i64);
    let exit_code = exit_code.and_then(|code| i32::try_from(code).ok());
    let text = state.output.clone().or_else(|| state.error.clone()).unwrap_or_default();
    let status = status(state, exit_code, is_cancelling);
    ToolResult { exit_code, ..event::tool_result(id, status, text) }
}

/// A failed command is `completed` in OpenCode; only its exit code shows the failure.
fn status(state: &ToolState, exit_code: Option<i32>, is_cancelling: bool) -> ToolStatus {
    let error = state.error.as_deref().unwrap_or_default();
    match state.status.as_str() {
        "completed" if exit_code.is_none_or(|code| code == 0) => {
            // A command that was stopped has an exit code of null.
            let was_stopped =
                is_cancelling && state.metadata.get("exit").is_some_and(Value::is_null);
            if was_stopped { ToolStatus::Cancelled } else { ToolStatus::Ok }
        }
        "completed" => ToolStatus::Error,
        _ if DENIALS.iter().any(|denial| error.starts_with(denial)) => ToolStatus::Denied,
        _ if is_cancelling || error.starts_with(ABORTED) => ToolStatus::Cancelled,
        _ => ToolStatus::Error,
    }
}

fn report_plan(input: &Value, output: &mut RunOutput) {
    let Some(todos) = input.get("todos").and_then(Value::as_array) else { return };
    let entries = todos.iter().filter_map(|todo| {
        let field = |key: &str| todo.get(key).and_then(Value::as_str);
        let content = field("content")?.to_owned();
        let status = match field("status").unwrap_or_default() {
            "completed" | "cancelled" => PlanStatus::Completed,
            "in_progress" => PlanStatus::InProgress,
            _ => PlanStatus::Pending,
        };
        Some(PlanEntry { content, status })
    });
    output.event(Event::Plan(Plan { entries: entries.collect() }));
}
