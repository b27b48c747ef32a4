//! Maps the lines of a rollout file to events. Pure.

use od_protocol::{
    Event, MessageStarted, MessageStopped, TextDelta, ToolCallReady, ToolCallStarted, ToolKind,
    ToolResult, ToolStatus, UserMessage,
};
use od_sdk::session_files::whole_thought;
use od_sdk::text::first_line;
use serde_json::{Value, json};

use super::rollout::{Line, Payload, text_of};

/// Texts before the exit code in the output of a command.
const EXIT_MARKS: &[&str] = &["Process exited with code ", "Exit code: "];
/// Prefix of the namespace of an MCP server's tools.
const MCP_PREFIX: &str = "mcp__";

/// Returns the events of a session.
pub(super) fn events(lines: &mut dyn Iterator<Item = Line>) -> Vec<Event> {
    let mut transcript = Transcript::default();
    for line in lines {
        transcript.on_line(&line);
    }
    transcript.events
}

#[derive(Debug, Default)]
struct Transcript {
    events: Vec<Event>,
    /// The number of messages and thoughts, for those without an id.
    count: u32,
}

impl Transcript {
    fn on_line(&mut self, line: &Line) {
        if let Some(text) = line.user_text() {
            self.events.push(Event::UserMessage(UserMessage { text }));
        }
        if line.kind != "response_item" {
            return;
        }
        let payload = &line.payload;
        match payload.kind.as_str() {
            "message" if payload.role == "assistant" => self.on_message(payload),
            "reasoning" => self.on_thought(payload),
            "function_call" | "custom_tool_call" => self.on_call(payload),
            "function_call_output" | "custom_tool_call_output" => self.on_output(payload),
            _ => {}
        }
    }

    fn next_id(&mut self, payload: &Payload) -> String {
        self.count += 1;
        payload.id.clone().unwrap_or_else(|| format!("item-{}", self.count))
    }

    fn on_message(&mut self, payload: &Payload) {
        let message_id = self.next_id(payload);
        let text = text_of(&payload.content);
        self.events.extend([
            Event::MessageStarted(MessageStarted { message_id: message_id.clone() }),
            Event::TextDelta(TextDelta { message_id: message_id.clone(), text, truncated: None }),
            Event::MessageStopped(MessageStopped { message_id }),
        ]);
    }

    fn on_thought(&mut self, payload: &Payload) {
        let text = text_of(&payload.summary);
        if text.is_empty() {
            return;
        }
        let thinking_id = self.next_id(payload);
        self.events.extend(whole_thought(&thinking_id, &text));
    }

    fn on_call(&mut self, payload: &Payload) {
        let input = input(payload);
        let namespace = payload.namespace.as_deref();
        self.events.extend([
            Event::ToolCallStarted(ToolCallStarted {
                tool_call_id: payload.call_id.clone(),
                name: payload.name.clone(),
                kind: kind(&payload.name),
                title: None,
                mcp_server: namespace
                    .and_then(|namespace| namespace.strip_prefix(MCP_PREFIX))
                    .map(str::to_owned),
                parent_tool_call_id: None,
            }),
            Event::ToolCallReady(ToolCallReady {
                tool_call_id: payload.call_id.clone(),
                title: input.get("cmd").and_then(Value::as_str).map(first_line),
                input,
                truncated: None,
            }),
        ]);
    }

    fn on_output(&mut self, payload: &Payload) {
        let text = text_of(&payload.output);
        let exit_code = exit_code(&text);
        let status = match exit_code {
            Some(0) | None => ToolStatus::Ok,
            Some(_) => ToolStatus::Error,
        };
        self.events.push(Event::ToolResult(ToolResult {
            tool_call_id: payload.call_id.clone(),
            status,
            output: text.into(),
            exit_code,
            truncated: None,
        }));
    }
}

fn input(payload: &Payload) -> Value {
    match (&payload.arguments, &payload.input) {
        (Some(arguments), _) => {
            serde_json::from_str(arguments).unwrap_or_else(|_| json!(arguments))
        }
        (None, Some(input)) => json!({ "input": input }),
        (None, None) => Value::Null,
    }
}

/// The kind of a tool, by the name that the model uses.
fn kind(name: &str) -> ToolKind {
    match name {
        "exec_command" | "write_stdin" | "shell" | "shell_command" | "local_shell" => {
            ToolKind::Execute
        }
        "apply_patch" => ToolKind::Edit,
        "view_image" => ToolKind::Read,
        "update_plan" | "spawn_agent" | "wait_agent" => ToolKind::Think,
        _ => ToolKind::Other,
    }
}

/// Reads the exit code from the lines before the output of a command.
fn exit_code(output: &str) -> Option<i32> {
    let header = output.lines().take_while(|line| *line != "Output:");
    header
        .filter_map(|line| EXIT_MARKS.iter().find_map(|mark| line.strip_prefix(mark)))
        .find_map(|code| code.trim().parse().ok())
}
