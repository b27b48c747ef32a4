//! The messages of a session → events, in the words of a run. Pure.

use std::collections::HashSet;

use od_protocol::Event;

use crate::parts::native::{Part, SessionMessage, ToolState};
use crate::parts::tools::result;
use crate::parts::words::{title, tool_kind};
use crate::session_files::{Call, Transcript};

/// What happened in a session.
pub(super) fn tell(messages: &[SessionMessage]) -> Vec<Event> {
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

/// What a person said; the agent CLI adds texts of its own, such as the content of files.
fn on_user(message: &SessionMessage, transcript: &mut Transcript) {
    let own = message.parts.iter().filter(|part| part.kind == "text" && !part.synthetic);
    let texts: Vec<&str> = own.map(|part| part.text.as_str()).collect();
    let text = texts.join("\n");
    if !text.is_empty() {
        transcript.user(text);
    }
}

/// A model may use the name of a call again; the part has one of its own.
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
