//! Tool calls: announced, updated, approved, finished. An agent may start with any of these: some ask
//! for approval before they announce a call, some report the input only later.

use std::collections::HashMap;

use od_protocol::{Event, ToolCallStarted, ToolKind, ToolResult, ToolStatus};
use serde_json::Value;

use super::dialect::Dialect;
use super::native::{ToolCall, ToolContent};
use crate::{RunOutput, event};

/// The places of an exit code in the raw output of a call.
const EXIT_CODES: &[&str] =
    &["/exitCode", "/exit_code", "/metadata/exit", "/metadata/exitCode", "/returncode"];

/// A tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Its id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its kind.
    pub kind: ToolKind,
    /// Its title.
    pub title: Option<String>,
    /// Its input, if reported.
    pub input: Option<Value>,
    /// The files it works on.
    pub locations: Vec<String>,
    /// Its content so far.
    pub content: Vec<ToolContent>,
    /// Its output in the agent's own form.
    pub raw_output: Option<Value>,
    is_ready: bool,
    /// The output that was emitted.
    emitted: String,
}

/// The open calls.
#[derive(Debug, Default)]
pub(super) struct Tools {
    open: HashMap<String, Call>,
}

impl Tools {
    /// `tool_call` and `tool_call_update`; returns `None` without an id.
    pub(super) fn on_call(
        &mut self,
        tool_call: ToolCall,
        dialect: &dyn Dialect,
        cwd: &str,
        output: &mut RunOutput,
    ) -> Option<()> {
        let status = tool_call.status.clone().unwrap_or_default();
        let call = self.merge(tool_call, dialect, output)?;
        let is_announced = dialect.announces_input() && has_content(call.input.as_ref());
        if status != "pending" || is_announced {
            call.make_ready(dialect, output);
        }
        match status.as_str() {
            "completed" | "failed" => {
                let id = call.id.clone();
                let call = self.open.remove(&id)?;
                call.finish(status == "completed", dialect, cwd, output);
            }
            _ if dialect.reports_output() => call.emit_output(output),
            _ => {}
        }
        Some(())
    }

    /// The call of a permission request; returns `None` without an id.
    pub(super) fn on_permission(
        &mut self,
        tool_call: ToolCall,
        dialect: &dyn Dialect,
        output: &mut RunOutput,
    ) -> Option<&Call> {
        let call = self.merge(tool_call, dialect, output)?;
        call.make_ready(dialect, output);
        Some(call)
    }

    /// The call was denied. Some agents never mention it again, so this emits its result.
    pub(super) fn deny(&mut self, id: &str, output: &mut RunOutput) {
        if self.open.remove(id).is_some() {
            let denied = event::tool_result(id, ToolStatus::Denied, Value::Null);
            output.event(Event::ToolResult(denied));
        }
    }

    /// Merges an update into a call; the first one announces it.
    fn merge(
        &mut self,
        tool_call: ToolCall,
        dialect: &dyn Dialect,
        output: &mut RunOutput,
    ) -> Option<&mut Call> {
        if tool_call.tool_call_id.is_empty() {
            return None;
        }
        let id = tool_call.tool_call_id.clone();
        let call = self.open.entry(id).or_insert_with(|| announce(&tool_call, dialect, output));
        call.update(tool_call);
        Some(call)
    }
}

impl Call {
    fn update(&mut self, tool_call: ToolCall) {
        if let Some(kind) = &tool_call.kind {
            self.kind = ToolKind::from_wire(kind);
        }
        if let Some(locations) = tool_call.locations.filter(|locations| !locations.is_empty()) {
            self.locations = locations.into_iter().map(|location| location.path).collect();
        }
        // Each update has the whole content, so an empty one removes it.
        self.content = tool_call.content.unwrap_or_else(|| std::mem::take(&mut self.content));
        self.title = tool_call.title.or_else(|| self.title.take());
        self.raw_output = tool_call.raw_output.or_else(|| self.raw_output.take());
        if has_content(tool_call.raw_input.as_ref()) {
            self.input = tool_call.raw_input;
        }
    }

    /// The input that was reported, or the default of the dialect.
    pub(super) fn known_input(&self, dialect: &dyn Dialect) -> Value {
        self.input.clone().unwrap_or_else(|| dialect.tool_input(self))
    }

    fn make_ready(&mut self, dialect: &dyn Dialect, output: &mut RunOutput) {
        if std::mem::replace(&mut self.is_ready, true) {
            return;
        }
        let input = self.known_input(dialect);
        output.event(event::tool_call_ready(&self.id, input, self.title.clone()));
    }

    /// The whole text of the call.
    fn text(&self) -> String {
        let pieces = self.content.iter().filter(|content| content.kind == "content");
        pieces.map(|content| content.content.text.as_str()).collect()
    }

    /// Emits the new output; each update has the whole output.
    fn emit_output(&mut self, output: &mut RunOutput) {
        let text = self.text();
        if let Some(more) = text.strip_prefix(&self.emitted).filter(|more| !more.is_empty()) {
            output.event(Event::ToolOutputDelta(event::tool_output_delta(&self.id, more)));
            self.emitted = text;
        }
    }

    fn finish(self, succeeded: bool, dialect: &dyn Dialect, cwd: &str, output: &mut RunOutput) {
        let raw_output = self.raw_output.as_ref();
        let exit_code = EXIT_CODES.iter().find_map(|place| raw_output?.pointer(place)?.as_i64());
        let exit_code = exit_code.and_then(|code| i32::try_from(code).ok());
        let status = match succeeded {
            // Some agents report a cancelled command as completed.
            _ if output.is_cancelling() => ToolStatus::Cancelled,
            // Some agents report a failed command as completed.
            true if exit_code.is_none_or(|code| code == 0) => ToolStatus::Ok,
            _ => ToolStatus::Error,
        };
        if status == ToolStatus::Ok {
            for change in dialect.file_changes(&self, cwd) {
                output.event(Event::FileChange(change));
            }
        }
        let text = self.text();
        let result_output = match (text.is_empty(), self.raw_output) {
            (true, Some(raw_output)) => raw_output,
            _ => Value::String(text),
        };
        let result = event::tool_result(self.id, status, result_output);
        output.event(Event::ToolResult(ToolResult { exit_code, ..result }));
    }
}

fn announce(tool_call: &ToolCall, dialect: &dyn Dialect, output: &mut RunOutput) -> Call {
    let call = Call {
        id: tool_call.tool_call_id.clone(),
        name: dialect.tool_name(tool_call),
        kind: tool_call.kind.as_deref().map_or(ToolKind::Other, ToolKind::from_wire),
        title: tool_call.title.clone(),
        input: None,
        locations: Vec::new(),
        content: Vec::new(),
        raw_output: None,
        is_ready: false,
        emitted: String::new(),
    };
    output.event(Event::ToolCallStarted(ToolCallStarted {
        title: call.title.clone(),
        ..event::tool_call_started(&call.id, &call.name, call.kind)
    }));
    call
}

/// Whether the input has content: agents announce calls with an empty one.
fn has_content(input: Option<&Value>) -> bool {
    match input {
        None | Some(Value::Null) => false,
        Some(Value::Object(members)) => !members.is_empty(),
        Some(_) => true,
    }
}
