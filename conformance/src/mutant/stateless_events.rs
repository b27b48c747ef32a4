//! Messages of `parrot` that become one event without any state.

use od_protocol::{
    ApprovalCategory, ApprovalOption, ApprovalOutcome, ApprovalRequested, ApprovalRisk, ErrorEvent,
    ErrorKind, Event, RateLimited, Retry, StopReason, ToolResult, ToolStatus,
};

use super::fault::{Behaviour, Fault};
use super::native::{Again, Ask, SlowDown};

pub(super) fn tool_result(
    tool_call_id: String,
    status: ToolStatus,
    output: serde_json::Value,
    exit_code: Option<i32>,
) -> Event {
    Event::ToolResult(ToolResult { tool_call_id, status, output, exit_code, truncated: None })
}

pub(super) fn slow_down(behaviour: Behaviour, limit: SlowDown) -> Event {
    let after = limit.after_ms.filter(|_| !behaviour.has(Fault::DropsRetryAfter));
    let seconds = behaviour.has(Fault::RetryAfterInSeconds);
    let until_factor = if behaviour.has(Fault::ResetsAtInSeconds) { 1 } else { 1000 };
    Event::RateLimited(RateLimited {
        retry_after_ms: after.map(|after| if seconds { after / 1000 } else { after }),
        resets_at: limit.until.map(|until| until.saturating_mul(until_factor)),
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

/// The request of an approval.
pub(super) fn approval_request(behaviour: Behaviour, request: Ask) -> ApprovalRequested {
    let option = |id: &str, kind| ApprovalOption { id: id.to_owned(), kind, label: None };
    let mut options = vec![option("yes", ApprovalOutcome::AllowOnce)];
    if !behaviour.has(Fault::OffersOnlyYes) {
        options.push(option("no", ApprovalOutcome::RejectOnce));
    }
    ApprovalRequested {
        category: match behaviour.has(Fault::CommandIsRead) {
            true => ApprovalCategory::Read,
            false => ApprovalCategory::from_wire(request.kind.as_deref().unwrap_or_default()),
        },
        risk: ApprovalRisk::High,
        summary: match behaviour.has(Fault::EmptySummary) {
            true => String::new(),
            false => request.summary,
        },
        tool_call_id: match behaviour.has(Fault::ForeignToolCall) {
            true => Some(request.id.clone()),
            false => request.tool,
        },
        approval_id: request.id,
        input: request.input,
        options,
        deadline_ms: request.wait_ms,
    }
}
