//! Messages of `parrot` that become one event without any state.

use super::native::{Again, SlowDown};
use od_protocol::{
    ErrorEvent, ErrorKind, Event, RateLimited, Retry, StopReason, ToolResult, ToolStatus,
};

pub(super) fn tool_result(
    tool_call_id: String,
    status: ToolStatus,
    output: serde_json::Value,
    exit_code: Option<i32>,
) -> Event {
    Event::ToolResult(ToolResult { tool_call_id, status, output, exit_code, truncated: None })
}

pub(super) fn slow_down(limit: SlowDown) -> Event {
    Event::RateLimited(RateLimited {
        retry_after_ms: limit.after_ms,
        resets_at: limit.until.map(|until| until.saturating_mul(1000)),
        window: limit.window,
        source: "cli".to_owned(),
    })
}

pub(super) fn retry(again: Again) -> Event {
    Event::Retry(Retry {
        attempt: again.attempt,
        max_attempts: again.of,
        delay_ms: again.after_ms,
        reason: again.why,
    })
}

pub(super) fn stop_reason(stop: Option<String>) -> StopReason {
    stop.map_or(StopReason::EndTurn, |stop| StopReason::from_wire(&stop))
}

/// The error event of a failure code of `parrot`, with a hint.
pub(super) fn failure(code: &str, text: String) -> ErrorEvent {
    let (kind, hint) = match code {
        "no_login" => (ErrorKind::AuthMissing, "run `parrot login`"),
        "login_expired" => (ErrorKind::AuthExpired, "run `parrot login`"),
        "too_long" => (ErrorKind::ContextExceeded, "start a new session"),
        "slow_down" => (ErrorKind::RateLimited, "wait and try again"),
        "no_such_model" => (ErrorKind::ModelUnknown, "run `parrot models`"),
        "no_such_session" => (ErrorKind::SessionUnknown, "start a new session"),
        _ => (ErrorKind::CliCrashed, "run `parrot` by hand"),
    };
    ErrorEvent::fatal(kind, text).with_hint(hint)
}
