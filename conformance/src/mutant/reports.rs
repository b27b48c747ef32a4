//! Messages of `parrot` whose members are those of one protocol event.

use od_protocol::Event;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The event of a message; `None` if its type is unknown or a member is missing.
pub(super) fn report(native_type: &str, body: Value) -> Option<Event> {
    Some(match native_type {
        "turn" => Event::TurnStarted(read(body)?),
        "turn_end" => Event::TurnEnded(read(body)?),
        "phase" => Event::Status(read(body)?),
        "heard" => Event::UserMessage(read(body)?),
        "tool_log" => Event::ToolOutputDelta(read(body)?),
        "todo" => Event::Plan(read(body)?),
        "helper" => Event::SubagentStarted(read(body)?),
        "helper_end" => Event::SubagentStopped(read(body)?),
        "window" => Event::Context(read(body)?),
        "quota" => Event::Quota(read(body)?),
        "picture" => Event::Image(read(body)?),
        "skill" => Event::Skill(read(body)?),
        "plugin" => Event::Plugin(read(body)?),
        "mode" => Event::ModeChanged(read(body)?),
        "note" => Event::Notice(read(body)?),
        _ => return None,
    })
}

fn read<P: DeserializeOwned>(body: Value) -> Option<P> {
    serde_json::from_value(body).ok()
}
