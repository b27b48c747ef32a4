//! Tool calls: start, input, output while they run, result.

use od_protocol::{Event, Image, ToolCallStarted, ToolResult, ToolStatus};
use serde_json::Value;

use super::files::{self, Written};
use crate::content::{blocks, kind, text_of, title};
use crate::native::{Block, ExecutionLine};
use od_sdk::approval::mcp_server;
use od_sdk::{RunOutput, event};

/// The text before the exit code in the last line of a failed command (recording `toolfail`).
const EXIT_CODE_PREFIX: &str = "Command exited with code ";

/// An open call.
#[derive(Debug)]
struct Call {
    id: String,
    name: String,
    input: Value,
    is_ready: bool,
    is_running: bool,
    was_denied: bool,
    /// Its output that was emitted; each update repeats all of it.
    emitted: String,
}

/// The open calls, in the model's order.
#[derive(Debug, Default)]
pub(super) struct Tools {
    open: Vec<Call>,
}

impl Tools {
    fn call(&mut self, id: &str) -> Option<&mut Call> {
        self.open.iter_mut().find(|call| call.id == id)
    }

    /// The call of this tool that waits for approval, with its input.
    pub(super) fn waiting(&self, name: &str) -> Option<(&str, &Value)> {
        let waits = |call: &&Call| call.is_ready && !call.is_running && call.name == name;
        self.open.iter().find(waits).map(|call| (call.id.as_str(), &call.input))
    }

    /// A person or a rule denied the call.
    pub(super) fn mark_denied(&mut self, id: &str) {
        if let Some(call) = self.call(id) {
            call.was_denied = true;
        }
    }

    /// The model starts a call.
    pub(super) fn on_started(&mut self, id: &str, name: &str, output: &mut RunOutput) {
        if self.call(id).is_some() {
            return;
        }
        self.open.push(Call {
            id: id.to_owned(),
            name: name.to_owned(),
            input: Value::Null,
            is_ready: false,
            is_running: false,
            was_denied: false,
            emitted: String::new(),
        });
        output.event(Event::ToolCallStarted(ToolCallStarted {
            mcp_server: mcp_server(name),
            ..event::tool_call_started(id, name, kind(name))
        }));
    }

    /// All of the input is known.
    pub(super) fn on_ready(&mut self, block: &Block, output: &mut RunOutput) {
        self.on_started(&block.id, &block.name, output);
        self.make_ready(&block.id, &block.arguments, output);
    }

    fn make_ready(&mut self, id: &str, input: &Value, output: &mut RunOutput) {
        let Some(call) = self.call(id).filter(|call| !call.is_ready) else { return };
        call.is_ready = true;
        call.input = input.clone();
        output.event(event::tool_call_ready(id, input.clone(), title(&call.name, input)));
    }

    /// The answer failed: its calls that do not run yet will never run.
    pub(super) fn abandon(&mut self, output: &mut RunOutput) {
        let (running, abandoned): (Vec<Call>, Vec<Call>) =
            std::mem::take(&mut self.open).into_iter().partition(|call| call.is_running);
        self.open = running;
        for call in abandoned {
            let result = event::tool_result(call.id, ToolStatus::Cancelled, Value::Null);
            output.event(Event::ToolResult(result));
        }
    }

    /// `tool_execution_start`.
    pub(super) fn on_running(&mut self, line: &ExecutionLine, output: &mut RunOutput) {
        self.on_started(&line.tool_call_id, &line.tool_name, output);
        self.make_ready(&line.tool_call_id, &line.args, output);
        if let Some(call) = self.call(&line.tool_call_id) {
            call.is_running = true;
        }
    }

    /// `tool_execution_update`: emits the added output. Output that replaces earlier output cannot be
    /// emitted as a piece; the result has it.
    pub(super) fn on_update(&mut self, line: &ExecutionLine, output: &mut RunOutput) {
        let Some(call) = self.call(&line.tool_call_id) else { return };
        let text = text_of(&line.partial_result.content);
        let Some(more) = text.strip_prefix(&call.emitted).filter(|more| !more.is_empty()) else {
            return;
        };
        let delta = event::tool_output_delta(&line.tool_call_id, more);
        output.event(Event::ToolOutputDelta(delta));
        call.emitted = text;
    }

    /// `tool_execution_end`.
    pub(super) fn on_result(&mut self, line: &ExecutionLine, cwd: &str, output: &mut RunOutput) {
        let index = self.open.iter().position(|call| call.id == line.tool_call_id);
        let call = index.map(|index| self.open.remove(index));
        let was_denied = call.as_ref().is_some_and(|call| call.was_denied);
        let status = match line.is_error {
            false => ToolStatus::Ok,
            true if was_denied => ToolStatus::Denied,
            true if output.is_cancelling() => ToolStatus::Cancelled,
            true => ToolStatus::Error,
        };
        let details = &line.result.details;
        if let Some(call) = call.filter(|_| status == ToolStatus::Ok) {
            let written =
                Written { call_id: &call.id, tool: &call.name, input: &call.input, details };
            files::on_written(&written, cwd, output);
        }
        report_images(&line.result.content, output);
        let text = text_of(&line.result.content);
        output.event(Event::ToolResult(ToolResult {
            exit_code: exit_code(details, &text, status),
            ..event::tool_result(&line.tool_call_id, status, text)
        }));
    }
}

/// omp reports the exit code as a number, pi in the last line of a failed command.
fn exit_code(details: &Value, text: &str, status: ToolStatus) -> Option<i32> {
    let stated = details.get("exitCode").and_then(Value::as_i64);
    let in_text = || text.lines().next_back()?.strip_prefix(EXIT_CODE_PREFIX)?.parse().ok();
    match status {
        ToolStatus::Error => stated.and_then(|code| code.try_into().ok()).or_else(in_text),
        _ => stated.and_then(|code| code.try_into().ok()),
    }
}

fn report_images(content: &Value, output: &mut RunOutput) {
    if !content.is_array() {
        return;
    }
    for image in blocks(content.clone()).into_iter().filter(|block| block.kind == "image") {
        output.event(Event::Image(Image {
            mime: image.mime_type,
            data: Some(image.data),
            path: None,
        }));
    }
}
