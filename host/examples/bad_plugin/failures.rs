//! Attempts that fail, and attempts that report their parameters after a failure.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::Mode;
use crate::run::Run;

/// The first start fails as the mode says, later ones report their parameters. `fails` and `lingers` always fail,
/// `repeats` never fails, `forgets` fails to resume its session.
pub(crate) fn start(mode: &Mode, run: &mut Run, params: &Value) {
    let start = mode.count_start();
    let mut parts = mode.name.split(' ');
    match (parts.next().unwrap_or_default(), parts.next().unwrap_or_default()) {
        ("limited", milliseconds) if start == 1 => {
            limited(run, milliseconds.parse().unwrap_or(0));
        }
        ("forgets", _) if start == 1 => limited(run, 0),
        ("forgets", _) if resumes(params) => fails(run, "session_unknown"),
        ("breaks", _) if start == 1 => breaks(run),
        ("fails", kind) if parts.next() == Some("late") => fails_late(run, kind),
        ("fails", kind) => fails(run, kind),
        ("lingers", kind) => fatal(run, kind),
        _ => report_parameters(run, params),
    }
}

/// Whether the run resumes a session.
pub(crate) fn resumes(params: &Value) -> bool {
    params["session"]["mode"] == "resume"
}

/// Emits some events and usage, then a rate limit that resets after these milliseconds.
fn limited(run: &mut Run, milliseconds: u64) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let resets_at = u64::try_from(now.as_millis()).unwrap_or_default() + milliseconds;
    run.emit(&json!({"type": "session_started", "sessionId": "first", "mode": "new"}));
    work(run);
    run.emit(&usage("turn", 10, 0.5));
    run.emit(&json!({"type": "rate_limited", "resetsAt": resets_at, "source": "provider"}));
    fatal(run, "rate_limited");
    run.emit(&json!({"type": "turn_ended", "turnId": "t", "stopReason": "error"}));
    failed(run, "rate_limited");
}

/// Exits with open items.
fn breaks(run: &mut Run) {
    work(run);
    run.emit(&json!({"type": "thinking_started", "thinkingId": "t"}));
    run.emit(&json!({
        "type": "tool_call_started", "toolCallId": "open", "name": "sh", "kind": "execute",
    }));
    run.emit(&json!({
        "type": "approval_requested", "approvalId": "a", "category": "execute", "risk": "high",
        "summary": "run rm", "options": [], "deadlineMs": null,
    }));
    std::process::exit(7);
}

fn fails(run: &mut Run, kind: &str) {
    run.emit(&usage("run", 5, 0.25));
    fatal(run, kind);
    failed(run, kind);
}

/// Reports usage after its error, as most agents do.
fn fails_late(run: &mut Run, kind: &str) {
    fatal(run, kind);
    run.emit(&usage("run", 5, 0.25));
    failed(run, kind);
}

/// A message, a tool, a file.
fn work(run: &mut Run) {
    run.emit(&json!({"type": "message_started", "messageId": "m"}));
    run.say("I begin");
    run.emit(&json!({
        "type": "tool_call_started", "toolCallId": "c", "name": "edit", "kind": "edit",
        "title": "edit the page",
    }));
    run.emit(&json!({
        "type": "tool_result", "toolCallId": "c", "status": "ok", "output": null,
    }));
    run.emit(&json!({
        "type": "file_change", "path": "/page", "op": "edit", "source": "native",
    }));
}

fn fatal(run: &mut Run, kind: &str) {
    run.emit(&json!({
        "type": "error", "kind": kind, "message": format!("it fails with {kind}"), "fatal": true,
    }));
}

fn failed(run: &mut Run, kind: &str) {
    run.emit(&json!({
        "type": "done", "status": "failed", "stopReason": "error", "errorKind": kind,
        "evidence": "native_result", "durationMs": 1, "totals": {},
    }));
}

/// Emits the parameters of the run as text, and completes.
fn report_parameters(run: &mut Run, params: &Value) {
    run.emit(&json!({"type": "message_started", "messageId": "m"}));
    let asked = json!({
        "session": params["session"], "model": params["model"], "prompt": params["prompt"]["text"],
    });
    run.say(&asked.to_string());
    run.emit(&json!({"type": "message_stopped", "messageId": "m"}));
    run.emit(&json!({
        "type": "file_change", "path": "/page", "op": "edit", "source": "native",
    }));
    run.emit(&usage("run", 7, 0.25));
    run.done("completed");
}

fn usage(scope: &str, tokens: u64, cost: f64) -> Value {
    json!({
        "type": "usage", "scope": scope, "cumulative": scope == "run", "inputTokens": tokens,
        "outputTokens": 0, "totalTokens": tokens, "costUsd": cost, "source": "cli",
    })
}
