//! Tool calls: start, input, output, result and changed files.

use std::collections::HashMap;

use od_protocol::{
    Event, FileChange, OutputStream, ToolCallStarted, ToolKind, ToolOutputDelta, ToolResult,
    ToolStatus,
};
use od_sdk::{RunOutput, event};
use serde_json::Value;

use crate::native::{Tool, ToolCallDelta};
use crate::tool_names::{file_op, kind, title};

/// A started call.
#[derive(Debug)]
struct Call {
    kind: ToolKind,
    /// The input is complete and the call runs.
    is_ready: bool,
}

/// The open calls.
#[derive(Debug, Default)]
pub(super) struct Tools {
    open: HashMap<String, Call>,
}

impl Tools {
    /// A part of a tool call's input.
    pub(super) fn on_delta(&mut self, delta: &ToolCallDelta, output: &mut RunOutput) {
        self.start(&delta.tool_call_id, &delta.tool_name, None, output);
        output.tool_input_delta(&delta.tool_call_id, &delta.input_delta);
    }

    fn start(&mut self, id: &str, name: &str, server: Option<&str>, output: &mut RunOutput) {
        if self.open.contains_key(id) {
            return;
        }
        let kind = kind(name);
        self.open.insert(id.to_owned(), Call { kind, is_ready: false });
        output.event(Event::ToolCallStarted(ToolCallStarted {
            mcp_server: server.map(str::to_owned),
            ..event::tool_call_started(id, name, kind)
        }));
    }

    /// The input is complete.
    pub(super) fn on_start(&mut self, tool: &Tool, output: &mut RunOutput) {
        let id = &tool.tool_call_id;
        self.start(id, &tool.tool_name, tool.mcp_server_name.as_deref(), output);
        if let Some(call) = self.open.get_mut(id) {
            call.is_ready = true;
        }
        let title = title(&tool.tool_name, &tool.arguments);
        output.event(event::tool_call_ready(id, tool.arguments.clone(), title));
    }

    /// A part of a command's output.
    pub(super) fn on_output(&mut self, tool: &Tool, output: &mut RunOutput) {
        output.event(Event::ToolOutputDelta(ToolOutputDelta {
            stream: OutputStream::from_known(&tool.stream),
            ..event::tool_output_delta(&tool.tool_call_id, &tool.text)
        }));
    }

    /// The call ended.
    pub(super) fn on_complete(&mut self, tool: &Tool, output: &mut RunOutput) {
        let call = self.open.remove(&tool.tool_call_id);
        let is_command = call.is_some_and(|call| call.kind == ToolKind::Execute);
        let result = result(tool, is_command, output.is_cancelling());
        report_files(tool, output);
        output.event(Event::ToolResult(result));
    }

    /// The stream was interrupted: calls without complete input never run.
    pub(super) fn abandon(&mut self, output: &mut RunOutput) {
        let waiting: Vec<String> =
            self.open.iter().filter(|(_, call)| !call.is_ready).map(|(id, _)| id.clone()).collect();
        for id in waiting {
            self.open.remove(&id);
            let result = event::tool_result(id, ToolStatus::Cancelled, Value::Null);
            output.event(Event::ToolResult(result));
        }
    }
}

/// Returns the result of a call. The CLI reports a failed command as success; the exit code decides
/// (recording `shell`).
pub(crate) fn result(tool: &Tool, is_command: bool, is_cancelling: bool) -> ToolResult {
    let exit_code = tool.shell_execution.as_ref().and_then(|shell| shell.exit_code);
    let status = match (&tool.error, exit_code) {
        (Some(error), _) if matches!(error.code.as_str(), "denied" | "rejected") => {
            ToolStatus::Denied
        }
        _ if !tool.success && is_cancelling => ToolStatus::Cancelled,
        _ if !tool.success => ToolStatus::Error,
        (_, Some(code)) if code != 0 => ToolStatus::Error,
        _ => ToolStatus::Ok,
    };
    let text = match (&tool.error, &tool.result) {
        (Some(error), _) => error.message.clone(),
        (None, Some(result)) => result.content.clone(),
        (None, None) => String::new(),
    };
    let exit_code = exit_code.filter(|_| is_command);
    ToolResult { exit_code, ..event::tool_result(&tool.tool_call_id, status, text) }
}

/// Emits the changed files. The diff belongs to the call, so it is used only for a single file.
fn report_files(tool: &Tool, output: &mut RunOutput) {
    let diff = tool.result.as_ref().map(|result| result.detailed_content.trim_start());
    let diff = diff.filter(|diff| diff.starts_with("diff --git") && tool.file_edits.len() == 1);
    for edit in &tool.file_edits {
        output.event(Event::FileChange(FileChange {
            diff: diff.map(str::to_owned),
            tool_call_id: Some(tool.tool_call_id.clone()),
            ..event::file_change(&edit.path, file_op(&edit.kind))
        }));
    }
}
