//! Attempts that fail, and attempts that tell what they were asked after such a failure.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::Mode;
use crate::scenes::Scene;

/// The first start goes wrong as the word says, later ones tell what they were asked; `fails` and
/// `lingers` never do better, `repeats` is good at once, `forgets` has lost the session it is to resume.
pub(crate) fn start(mode: &Mode, scene: &mut Scene, params: &Value) {
    let start = mode.count_start();
    let mut words = mode.word.split(' ');
    match (words.next().unwrap_or_default(), words.next().unwrap_or_default()) {
        ("limited", milliseconds) if start == 1 => {
            limited(scene, milliseconds.parse().unwrap_or(0));
        }
        ("forgets", _) if start == 1 => limited(scene, 0),
        ("forgets", _) if resumes(params) => fails(scene, "session_unknown"),
        ("breaks", _) if start == 1 => breaks(scene),
        ("fails", kind) if words.next() == Some("late") => fails_late(scene, kind),
        ("fails", kind) => fails(scene, kind),
        ("lingers", kind) => fatal(scene, kind),
        _ => tell(scene, params),
    }
}

/// Whether it is to go on with a session.
pub(crate) fn resumes(params: &Value) -> bool {
    params["session"]["mode"] == "resume"
}

/// Works a little, uses something, and runs into a limit that is over so many milliseconds later.
fn limited(scene: &mut Scene, milliseconds: u64) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let resets_at = u64::try_from(now.as_millis()).unwrap_or_default() + milliseconds;
    scene.emit(&json!({"type": "session_started", "sessionId": "first", "mode": "new"}));
    work(scene);
    scene.emit(&usage("turn", 10, 0.5));
    scene.emit(&json!({"type": "rate_limited", "resetsAt": resets_at, "source": "provider"}));
    fatal(scene, "rate_limited");
    scene.emit(&json!({"type": "turn_ended", "turnId": "t", "stopReason": "error"}));
    failed(scene, "rate_limited");
}

/// Dies in the middle of everything.
fn breaks(scene: &mut Scene) {
    work(scene);
    scene.emit(&json!({"type": "thinking_started", "thinkingId": "t"}));
    scene.emit(&json!({
        "type": "tool_call_started", "toolCallId": "open", "name": "sh", "kind": "execute",
    }));
    scene.emit(&json!({
        "type": "approval_requested", "approvalId": "a", "category": "execute", "risk": "high",
        "summary": "run rm", "options": [], "deadlineMs": null,
    }));
    std::process::exit(7);
}

fn fails(scene: &mut Scene, kind: &str) {
    scene.emit(&usage("run", 5, 0.25));
    fatal(scene, kind);
    failed(scene, kind);
}

/// Tells what it has used after its error, as most agents do.
fn fails_late(scene: &mut Scene, kind: &str) {
    fatal(scene, kind);
    scene.emit(&usage("run", 5, 0.25));
    failed(scene, kind);
}

/// A message, a tool, a file.
fn work(scene: &mut Scene) {
    scene.emit(&json!({"type": "message_started", "messageId": "m"}));
    scene.say("I begin");
    scene.emit(&json!({
        "type": "tool_call_started", "toolCallId": "c", "name": "edit", "kind": "edit",
        "title": "edit the page",
    }));
    scene.emit(&json!({
        "type": "tool_result", "toolCallId": "c", "status": "ok", "output": null,
    }));
    scene.emit(&json!({
        "type": "file_change", "path": "/page", "op": "edit", "source": "native",
    }));
}

fn fatal(scene: &mut Scene, kind: &str) {
    scene.emit(&json!({
        "type": "error", "kind": kind, "message": format!("it fails with {kind}"), "fatal": true,
    }));
}

fn failed(scene: &mut Scene, kind: &str) {
    scene.emit(&json!({
        "type": "done", "status": "failed", "stopReason": "error", "errorKind": kind,
        "evidence": "native_result", "durationMs": 1, "totals": {},
    }));
}

/// Says what it was asked, and that it is done.
fn tell(scene: &mut Scene, params: &Value) {
    scene.emit(&json!({"type": "message_started", "messageId": "m"}));
    let asked = json!({
        "session": params["session"], "model": params["model"], "prompt": params["prompt"]["text"],
    });
    scene.say(&asked.to_string());
    scene.emit(&json!({"type": "message_stopped", "messageId": "m"}));
    scene.emit(&json!({
        "type": "file_change", "path": "/page", "op": "edit", "source": "native",
    }));
    scene.emit(&usage("run", 7, 0.25));
    scene.done("completed");
}

fn usage(scope: &str, tokens: u64, cost: f64) -> Value {
    json!({
        "type": "usage", "scope": scope, "cumulative": scope == "run", "inputTokens": tokens,
        "outputTokens": 0, "totalTokens": tokens, "costUsd": cost, "source": "cli",
    })
}
