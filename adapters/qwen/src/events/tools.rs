//! Tool calls: start, input and result, and the file changes and subagents behind them.

use std::collections::HashMap;

use od_protocol::{
    Event, FileChange, FileOp, SubagentStarted, SubagentStopped, ToolKind, ToolStatus,
};
use od_sdk::stream_json::{Block, call_ready, call_result, call_started, text_of};
use od_sdk::text::first_line;
use od_sdk::{RunOutput, diff, event};
use serde_json::Value;

/// Prefixes of a denial by the CLI itself (recording `approval-default`) and by the host (recording
/// `bidi-stream-json`).
const DENIALS: &[&str] = &["Qwen Code requires permission to use ", "[Operation Cancelled]"];
/// Prefix of the `write_file` result for a new file (recording `tool`).
const CREATED: &str = "Successfully created";
/// The tool that starts a subagent.
const SUBAGENT_TOOL: &str = "agent";

/// A started call.
#[derive(Debug, Default)]
struct Call {
    name: String,
    /// The complete input, once known.
    input: Option<Value>,
    was_denied: bool,
}

/// The open calls.
#[derive(Debug, Default)]
pub(super) struct Tools {
    open: HashMap<String, Call>,
}

impl Tools {
    /// Whether a call with complete input is open.
    pub(super) fn is_running(&self) -> bool {
        self.open.values().any(|call| call.input.is_some())
    }

    /// Marks a call as denied by the user or a rule.
    pub(super) fn mark_denied(&mut self, id: &str) {
        if let Some(call) = self.open.get_mut(id) {
            call.was_denied = true;
        }
    }

    /// The model starts to write a tool call.
    pub(super) fn on_started(&mut self, block: &Block, output: &mut RunOutput) {
        let call = Call { name: block.name.clone(), ..Call::default() };
        self.open.insert(block.id.clone(), call);
        output.event(call_started(block, kind(&block.name)));
    }

    /// The input is complete. Without partial messages this is the first line of a call.
    pub(super) fn on_ready(&mut self, block: &Block, output: &mut RunOutput) {
        if !self.open.contains_key(&block.id) {
            self.on_started(block, output);
        }
        if let Some(call) = self.open.get_mut(&block.id) {
            call.input = Some(block.input.clone());
        }
        output.event(call_ready(block, title(&block.name, &block.input)));
        if block.name == SUBAGENT_TOOL {
            output.event(Event::SubagentStarted(SubagentStarted {
                subagent_id: block.id.clone(),
                title: subagent_title(&block.input),
                parent_tool_call_id: Some(block.id.clone()),
            }));
        }
    }

    /// The stream with the call was interrupted: a call without complete input never runs.
    pub(super) fn abandon(&mut self, id: &str, output: &mut RunOutput) {
        if self.open.get(id).is_some_and(|call| call.input.is_none()) {
            self.open.remove(id);
            output.event(call_result(id, ToolStatus::Cancelled, Value::Null, None));
        }
    }

    /// Maps a `tool_result`. Qwen Code reports a failed command as success, without its exit code
    /// (recording `shell`).
    pub(super) fn on_result(&mut self, block: &Block, output: &mut RunOutput) {
        let call = self.open.remove(&block.tool_use_id).unwrap_or_default();
        let text = text_of(&block.content);
        let status = match block.is_error.unwrap_or(false) {
            false => ToolStatus::Ok,
            true if output.is_cancelling() => ToolStatus::Cancelled,
            true if call.was_denied || is_denial(&text) => ToolStatus::Denied,
            true => ToolStatus::Error,
        };
        let input = call.input.unwrap_or_default();
        if status == ToolStatus::Ok {
            report_file(&block.tool_use_id, &call.name, &input, &text, output);
        }
        if call.name == SUBAGENT_TOOL {
            output.event(Event::SubagentStopped(SubagentStopped {
                subagent_id: block.tool_use_id.clone(),
                title: subagent_title(&input),
                parent_tool_call_id: Some(block.tool_use_id.clone()),
                status: Some(status),
                summary: None,
            }));
        }
        output.event(call_result(&block.tool_use_id, status, Value::String(text), None));
    }
}

fn is_denial(text: &str) -> bool {
    DENIALS.iter().any(|denial| text.starts_with(denial))
}

/// Emits the file change of a writing tool; a diff is known for new files only.
fn report_file(id: &str, name: &str, input: &Value, text: &str, output: &mut RunOutput) {
    let field = |key: &str| input.get(key).and_then(Value::as_str);
    let (Some(path), "write_file" | "edit") = (field("file_path"), name) else { return };
    let (op, diff) = match field("content").filter(|_| text.starts_with(CREATED)) {
        Some(content) => (FileOp::Create, Some(diff::created(path, content))),
        None => (FileOp::Edit, None),
    };
    let tool_call_id = Some(id.to_owned());
    let change = FileChange { diff, tool_call_id, ..event::file_change(path, op) };
    output.event(Event::FileChange(change));
}

/// The kind of a tool, by its name.
pub(crate) fn kind(name: &str) -> ToolKind {
    match name {
        "read_file" | "read_many_files" | "list_directory" => ToolKind::Read,
        "write_file" | "edit" => ToolKind::Edit,
        "grep_search" | "glob" | "tool_search" => ToolKind::Search,
        "run_shell_command" | "monitor" | "task_stop" => ToolKind::Execute,
        "web_fetch" | "web_search" => ToolKind::Fetch,
        "agent" | "todo_write" | "exit_plan_mode" | "skill" => ToolKind::Think,
        _ => ToolKind::Other,
    }
}

/// A one-line title.
pub(crate) fn title(name: &str, input: &Value) -> Option<String> {
    let field = |key: &str| input.get(key).and_then(Value::as_str);
    let title = match name {
        "run_shell_command" => field("command")?.to_owned(),
        SUBAGENT_TOOL => subagent_title(input),
        _ => {
            let subject = ["file_path", "path", "pattern", "url", "query", "skill"]
                .into_iter()
                .find_map(field)?;
            format!("{name} {subject}")
        }
    };
    Some(first_line(&title))
}

fn subagent_title(input: &Value) -> String {
    input.get("description").and_then(Value::as_str).unwrap_or("subagent").to_owned()
}
