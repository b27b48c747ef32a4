//! Tool calls: announced, changed, asked about, done. An agent may begin with any of these: some
//! announce nothing before they ask (Gemini CLI, Qwen Code), some state the input only later
//! (OpenCode).

use std::collections::HashMap;

use od_protocol::{Event, ToolCallReady, ToolCallStarted, ToolKind, ToolOutputDelta, ToolResult, ToolStatus};
use serde_json::Value;

use super::dialect::Dialect;
use super::words::{ToolCall, ToolContent};
use crate::RunOutput;

/// Where an exit code is found in a call's own output, agents differing.
const EXIT_CODES: &[&str] =
    &["/exitCode", "/exit_code", "/metadata/exit", "/metadata/exitCode", "/returncode"];

/// A call, as far as the agent has told it.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Names it.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it does.
    pub kind: ToolKind,
    /// One line for people.
    pub title: Option<String>,
    /// Its input, where stated.
    pub input: Option<Value>,
    /// The files it works on.
    pub locations: Vec<String>,
    /// What it gave so far.
    pub content: Vec<ToolContent>,
    /// Its output in the agent's own structure.
    pub raw_output: Option<Value>,
    is_ready: bool,
    /// The output that was passed on already.
    told: String,
}

/// The calls that are open.
#[derive(Debug, Default)]
pub(super) struct Tools {
    open: HashMap<String, Call>,
}

impl Tools {
    /// `tool_call` and `tool_call_update`. `None`: it names no call.
    pub(super) fn on_call(
        &mut self,
        tool_call: ToolCall,
        dialect: &dyn Dialect,
        cwd: &str,
        output: &mut RunOutput,
    ) -> Option<()> {
        let status = tool_call.status.clone().unwrap_or_default();
        let call = self.learn(tool_call, dialect, output)?;
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
            _ if dialect.tells_output() => call.tell_output(output),
            _ => {}
        }
        Some(())
    }

    /// The call a permission is asked for. `None`: it names no call.
    pub(super) fn on_question(
        &mut self,
        tool_call: ToolCall,
        dialect: &dyn Dialect,
        output: &mut RunOutput,
    ) -> Option<&Call> {
        let call = self.learn(tool_call, dialect, output)?;
        call.make_ready(dialect, output);
        Some(call)
    }

    /// A person or a rule said no. Some agents never mention the call again (recording `nofs.acp` of
    /// Gemini CLI 0.61.0), so its end is told here.
    pub(super) fn deny(&mut self, id: &str, output: &mut RunOutput) {
        if self.open.remove(id).is_some() {
            output.event(result(id, ToolStatus::Denied, Value::Null, None));
        }
    }

    /// Takes over what a message says of a call; its first mention announces it.
    fn learn(
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
        // Each update has all of it, so an empty one takes it away.
        self.content = tool_call.content.unwrap_or_else(|| std::mem::take(&mut self.content));
        self.title = tool_call.title.or_else(|| self.title.take());
        self.raw_output = tool_call.raw_output.or_else(|| self.raw_output.take());
        if has_content(tool_call.raw_input.as_ref()) {
            self.input = tool_call.raw_input;
        }
    }

    /// The input as it is known: stated, or what stands in for it.
    pub(super) fn known_input(&self, dialect: &dyn Dialect) -> Value {
        self.input.clone().unwrap_or_else(|| dialect.tool_input(self))
    }

    fn make_ready(&mut self, dialect: &dyn Dialect, output: &mut RunOutput) {
        if std::mem::replace(&mut self.is_ready, true) {
            return;
        }
        output.event(Event::ToolCallReady(ToolCallReady {
            tool_call_id: self.id.clone(),
            input: self.known_input(dialect),
            title: self.title.clone(),
            truncated: None,
        }));
    }

    /// All text the call gave.
    fn text(&self) -> String {
        let pieces = self.content.iter().filter(|content| content.kind == "content");
        pieces.map(|content| content.content.text.as_str()).collect()
    }

    /// Each update has all of the output so far: what was not told yet is passed on.
    fn tell_output(&mut self, output: &mut RunOutput) {
        let text = self.text();
        if let Some(more) = text.strip_prefix(&self.told).filter(|more| !more.is_empty()) {
            output.event(Event::ToolOutputDelta(ToolOutputDelta {
                tool_call_id: self.id.clone(),
                text: more.to_owned(),
                stream: None,
                truncated: None,
            }));
            self.told = text;
        }
    }

    fn finish(self, worked: bool, dialect: &dyn Dialect, cwd: &str, output: &mut RunOutput) {
        let raw_output = self.raw_output.as_ref();
        let exit_code = EXIT_CODES.iter().find_map(|place| raw_output?.pointer(place)?.as_i64());
        let exit_code = exit_code.and_then(|code| i32::try_from(code).ok());
        let status = match worked {
            // A command that a cancel ended is reported as completed (recording `main.acp` of Gemini
            // CLI 0.61.0, opencode `main.acp`).
            _ if output.is_cancelling() => ToolStatus::Cancelled,
            // So is one that failed.
            true if exit_code.is_none_or(|code| code == 0) => ToolStatus::Ok,
            _ => ToolStatus::Error,
        };
        if status == ToolStatus::Ok {
            for change in dialect.file_changes(&self, cwd) {
                output.event(Event::FileChange(change));
            }
        }
        let text = self.text();
        let given = match (text.is_empty(), self.raw_output) {
            (true, Some(raw_output)) => raw_output,
            _ => Value::String(text),
        };
        output.event(result(&self.id, status, given, exit_code));
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
        told: String::new(),
    };
    output.event(Event::ToolCallStarted(ToolCallStarted {
        tool_call_id: call.id.clone(),
        name: call.name.clone(),
        kind: call.kind,
        title: call.title.clone(),
        mcp_server: None,
        parent_tool_call_id: None,
    }));
    call
}

fn result(id: &str, status: ToolStatus, given: Value, exit_code: Option<i32>) -> Event {
    Event::ToolResult(ToolResult {
        tool_call_id: id.to_owned(),
        status,
        output: given,
        exit_code,
        truncated: None,
    })
}

/// An input that says something: agents announce calls with an empty one.
fn has_content(input: Option<&Value>) -> bool {
    match input {
        None | Some(Value::Null) => false,
        Some(Value::Object(members)) => !members.is_empty(),
        Some(_) => true,
    }
}
