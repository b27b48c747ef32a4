//! Maps the messages of a stored session to events. Pure.

use std::collections::HashSet;

use od_protocol::Event;

use crate::native::{Part, SessionMessage, ToolState};
use crate::tool_names::{title, tool_kind};
use crate::tools::result;
use od_sdk::session_files::{Call, Transcript};

/// The events of a session.
pub(super) fn to_events(messages: &[SessionMessage]) -> Vec<Event> {
    let mut transcript = Transcript::default();
    let mut calls = HashSet::new();
    for message in messages {
        if message.info.role == "user" {
            on_user(message, &mut transcript);
            continue;
        }
        for part in &message.parts {
            match (part.kind.as_str(), &part.state) {
                ("text", _) if !part.synthetic => transcript.text(part.text.clone()),
                ("reasoning", _) => transcript.thought(&part.text),
                ("tool", Some(state)) => on_tool(part, state, &mut calls, &mut transcript),
                _ => {}
            }
        }
    }
    transcript.into_events()
}

/// Emits the user's text; OpenCode adds synthetic texts, such as the content of files.
fn on_user(message: &SessionMessage, transcript: &mut Transcript) {
    let own = message.parts.iter().filter(|part| part.kind == "text" && !part.synthetic);
    let texts: Vec<&str> = own.map(|part| part.text.as_str()).collect();
    let text = texts.join("\n");
    if !text.is_empty() {
        transcript.user(text);
    }
}

/// A model may use a call id again; the id of the part is unique.
fn on_tool(
    part: &Part,
    state: &ToolState,
    calls: &mut HashSet<String>,
    transcript: &mut Transcript,
) {
    let is_free = !part.call_id.is_empty() && calls.insert(part.call_id.clone());
    let id = if is_free { &part.call_id } else { &part.id };
    transcript.call(Call {
        id: id.clone(),
        name: part.tool.clone(),
        kind: tool_kind(&part.tool),
        title: title(&part.tool, &state.input),
        mcp_server: None,
        input: state.input.clone(),
    });
    if matches!(state.status.as_str(), "completed" | "error") {
        transcript.result(result(id, state, false));
    }
}
