//! Tool calls: their start, their input, their result, and the files and helpers they stand for.

use std::collections::HashMap;

use od_protocol::{Event, FileChange, FileChangeSource, FileOp, SubagentStarted, SubagentStopped, ToolKind, ToolStatus};
use od_sdk::stream_json::{Block, call_ready, call_result, call_started, text_of};
use od_sdk::text::first_line;
use od_sdk::{RunOutput, diff};
use serde_json::Value;

/// How the CLI words a denial when nobody is asked (recording `approval-default`), and one by the
/// host (recording `bidi-stream-json`).
const DENIALS: &[&str] = &["Qwen Code requires permission to use ", "[Operation Cancelled]"];
/// How `write_file` says that the file was not there before (recording `tool`).
const CREATED: &str = "Successfully created";
/// The tool that starts a helper.
const HELPER_TOOL: &str = "agent";

/// A call that was started.
#[derive(Debug, Default)]
struct Call {
    name: String,
    /// Its input, once all of it is known.
    input: Option<Value>,
    was_denied: bool,
}

/// The calls that are open.
#[derive(Debug, Default)]
pub(super) struct Tools {
    open: HashMap<String, Call>,
}

impl Tools {
    /// Something that was asked for runs right now.
    pub(super) fn is_running(&self) -> bool {
        self.open.values().any(|call| call.input.is_some())
    }

    /// A person or a rule said no.
    pub(super) fn mark_denied(&mut self, id: &str) {
        if let Some(call) = self.open.get_mut(id) {
            call.was_denied = true;
        }
    }

    /// The model begins to ask for a tool.
    pub(super) fn on_started(&mut self, block: &Block, output: &mut RunOutput) {
        let call = Call { name: block.name.clone(), ..Call::default() };
        self.open.insert(block.id.clone(), call);
        output.event(call_started(block, kind(&block.name)));
    }

    /// All of the input is known; without partial messages this is the first word of a call.
    pub(super) fn on_ready(&mut self, block: &Block, output: &mut RunOutput) {
        if !self.open.contains_key(&block.id) {
            self.on_started(block, output);
        }
        if let Some(call) = self.open.get_mut(&block.id) {
            call.input = Some(block.input.clone());
        }
        output.event(call_ready(block, title(&block.name, &block.input)));
        if block.name == HELPER_TOOL {
            output.event(Event::SubagentStarted(SubagentStarted {
                subagent_id: block.id.clone(),
                title: helper_title(&block.input),
                parent_tool_call_id: Some(block.id.clone()),
            }));
        }
    }

    /// The stream that asked for it broke off: unless it runs already, it never will.
    pub(super) fn abandon(&mut self, id: &str, output: &mut RunOutput) {
        if self.open.get(id).is_some_and(|call| call.input.is_none()) {
            self.open.remove(id);
            output.event(call_result(id, ToolStatus::Cancelled, Value::Null, None));
        }
    }

    /// A `tool_result`. A failed command is told as a success, without its code (recording
    /// `shell`).
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
        if call.name == HELPER_TOOL {
            output.event(Event::SubagentStopped(SubagentStopped {
                subagent_id: block.tool_use_id.clone(),
                title: helper_title(&input),
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

/// The result of a tool that writes names the file; what is in it is known when it is new.
fn report_file(id: &str, name: &str, input: &Value, text: &str, output: &mut RunOutput) {
    let field = |key: &str| input.get(key).and_then(Value::as_str);
    let (Some(path), "write_file" | "edit") = (field("file_path"), name) else { return };
    let (op, diff) = match field("content").filter(|_| text.starts_with(CREATED)) {
        Some(content) => (FileOp::Create, Some(diff::created(path, content))),
        None => (FileOp::Edit, None),
    };
    output.event(Event::FileChange(FileChange {
        path: path.to_owned(),
        op,
        from: None,
        source: FileChangeSource::Native,
        diff,
        tool_call_id: Some(id.to_owned()),
        truncated: None,
    }));
}

/// What a tool does, by its name.
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

/// One line for people.
pub(crate) fn title(name: &str, input: &Value) -> Option<String> {
    let field = |key: &str| input.get(key).and_then(Value::as_str);
    let title = match name {
        "run_shell_command" => field("command")?.to_owned(),
        HELPER_TOOL => helper_title(input),
        _ => {
            let subject = ["file_path", "path", "pattern", "url", "query", "skill"]
                .into_iter()
                .find_map(field)?;
            format!("{name} {subject}")
        }
    };
    Some(first_line(&title))
}

fn helper_title(input: &Value) -> String {
    input.get("description").and_then(Value::as_str).unwrap_or("a helper").to_owned()
}
