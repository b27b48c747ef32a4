//! The runs of the modes.

use std::time::Duration;

use od_protocol::{ErrorKind, ErrorObject};
use serde_json::{Value, json};

use crate::wire::{answer, bytes, event_line, forever, line, refuse};
use crate::{Mode, failures, orphan, violations};

/// The state of a run.
#[derive(Default)]
pub(crate) struct Run {
    pub(crate) run_id: String,
    pub(crate) seq: u64,
}

impl Run {
    pub(crate) fn emit(&mut self, event: &Value) {
        line(&event_line(&self.run_id, self.seq, event));
        self.seq += 1;
    }

    pub(crate) fn say(&mut self, text: &str) {
        self.emit(&json!({"type": "text_delta", "messageId": "m", "text": text}));
    }

    pub(crate) fn done(&mut self, status: &str) {
        let stop_reason = if status == "completed" { "end_turn" } else { "cancelled" };
        self.emit(&json!({
            "type": "done", "status": status, "stopReason": stop_reason,
            "evidence": "native_result", "sessionId": "s1", "durationMs": 1, "totals": {},
        }));
    }

    /// `run/input`: emits the text; `finish` ends the run.
    pub(crate) fn input(&mut self, id: &Value, params: &Value) {
        answer(id, &json!({"outcome": "steered"}));
        let text = params["text"].as_str().unwrap_or_default();
        self.emit(&json!({"type": "user_message", "text": text}));
        if text == "finish" {
            self.done("completed");
        }
    }

    /// Ends the run and exits without an answer.
    pub(crate) fn leave(&mut self) {
        self.done("completed");
        std::process::exit(0);
    }

    /// `run/respond`: emits the decision and ends the run.
    pub(crate) fn respond(&mut self, id: &Value, params: &Value) {
        answer(id, &json!({}));
        self.emit(&json!({
            "type": "approval_resolved", "approvalId": params["approvalId"],
            "outcome": params["outcome"], "by": "user",
        }));
        self.done("completed");
    }
}

/// `run/start`.
pub(crate) fn start(mode: &Mode, run: &mut Run, id: &Value, params: &Value) {
    if mode.name == "refuses_run" {
        let error = ErrorObject::new(ErrorKind::AuthMissing, "not logged in");
        return refuse(id, &error.with_hint("test login"));
    }
    if mode.name.starts_with("forgets at_once") && failures::resumes(params) {
        return refuse(id, &ErrorObject::new(ErrorKind::SessionUnknown, "no such session"));
    }
    run.run_id = params["runId"].as_str().unwrap_or_default().to_owned();
    answer(id, &json!({"runId": run.run_id}));
    run.emit(&json!({"type": "run_started", "pid": std::process::id(), "argv": []}));
    let prompt = params["prompt"]["text"].as_str().unwrap_or_default();
    match mode.name.split_once(' ').map_or((mode.name.as_str(), ""), |split| split) {
        ("crash", _) => crash(run),
        ("hang", _) => forever(),
        ("garbage", _) => garbage(run),
        ("flood", count) => flood(run, count.parse().unwrap_or(1)),
        ("orphan", _) => leave_orphan(run),
        ("closes_output", _) => closes_output(run),
        ("violates", how) => violations::start(run, how),
        ("other_order", _) => other_order(run),
        ("waits" | "ignores_cancel" | "leaves", _) => run.say("waiting"),
        ("asks", _) => ask(run),
        ("env", _) => report_environment(run, params),
        ("emits", events) => emit_all(run, events),
        ("fills", _) => fill(run),
        ("plays", file) => play(run, file),
        ("limited" | "forgets" | "breaks" | "fails" | "lingers" | "repeats", _) => {
            failures::start(mode, run, params);
        }
        _ => good(run, prompt),
    }
}

/// `run/cancel`.
pub(crate) fn cancel(mode: &Mode, run: &mut Run, id: &Value) {
    answer(id, &json!({"accepted": true}));
    if mode.name != "ignores_cancel" {
        run.done("cancelled");
    }
}

fn good(run: &mut Run, prompt: &str) {
    run.emit(&json!({"type": "session_started", "sessionId": "s1", "mode": "new"}));
    run.say(&format!("{} bytes: \"quoted\"\n\u{2028}ü", prompt.len()));
    run.done("completed");
}

/// Events from a file, one a line; the last is `done`.
fn play(run: &mut Run, file: &str) {
    let events = std::fs::read_to_string(file).expect("a file of events");
    for event in events.lines() {
        run.emit(&serde_json::from_str(event).expect("an event"));
    }
}

fn crash(run: &mut Run) {
    run.emit(&json!({"type": "thinking_started", "thinkingId": "t"}));
    run.emit(&json!({
        "type": "tool_call_started", "toolCallId": "c", "name": "sh", "kind": "execute",
    }));
    eprintln!("thread 'main' panicked: boom");
    std::process::exit(7);
}

/// Lines that are not events of this run, between events of it.
fn garbage(run: &mut Run) {
    line("plain text on stdout");
    bytes(b"\xff\xfe binary \x00\n\n\r\n");
    line(r#"{"jsonrpc":"2.0","id":4711,"result":{}}"#);
    line(r#"{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}"#);
    line(r#"{"jsonrpc":"2.0","method":"surprise","params":{}}"#);
    line(r#"{"jsonrpc":"2.0","id":1,"method":"host/please","params":{}}"#);
    line("[1,2,3]");
    run.say("one");
    line(&event_line("another-run", 9, &json!({"type": "heartbeat"})));
    line("next: {\"method\":\"run/event\"}");
    run.say("two");
    run.done("completed");
    line(&event_line(&run.run_id, run.seq, &json!({"type": "heartbeat"})));
}

fn flood(run: &mut Run, count: u64) {
    let mut chunk = String::new();
    for index in 0..count {
        let event = json!({"type": "text_delta", "messageId": "m", "text": format!("{index:08}")});
        chunk.push_str(&event_line(&run.run_id, run.seq, &event));
        chunk.push('\n');
        run.seq += 1;
        if chunk.len() > 64 * 1024 {
            bytes(chunk.as_bytes());
            chunk.clear();
        }
    }
    bytes(chunk.as_bytes());
    run.done("completed");
}

fn leave_orphan(run: &mut Run) {
    let pid = orphan::start();
    run.say(&pid.to_string());
}

/// Closes stdout and keeps running.
fn closes_output(run: &mut Run) {
    run.say("soon gone");
    #[cfg(unix)]
    {
        let null = std::fs::File::create("/dev/null").expect("a null device");
        rustix::stdio::dup2_stdout(&null).expect("stdout can be replaced");
    }
    forever();
}

fn other_order(run: &mut Run) {
    let event = json!({"text": "shuffled", "type": "text_delta", "messageId": "m"});
    let run_id = &run.run_id;
    line(&format!(
        r#" {{"params": {{"event": {event}, "ts": 5, "seq": {}, "runId": "{run_id}"}}, "method": "run/event", "jsonrpc": "2.0"}}"#,
        run.seq
    ));
    run.seq += 1;
    run.done("completed");
}

fn ask(run: &mut Run) {
    run.emit(&json!({
        "type": "approval_requested", "approvalId": "a1", "category": "execute", "risk": "high",
        "summary": "run rm", "options": [{"id": "y", "kind": "allow_once"}], "deadlineMs": null,
    }));
}

fn report_environment(run: &mut Run, params: &Value) {
    let mut names: Vec<String> = std::env::vars().map(|(name, _)| name).collect();
    names.sort();
    let of_run = params["env"].as_object().into_iter().flatten().map(|(name, _)| name.as_str());
    run.say(&format!("{}; run: {}", names.join(" "), of_run.collect::<Vec<_>>().join(" ")));
    run.done("completed");
}

/// Emits the events of a JSON list.
fn emit_all(run: &mut Run, events: &str) {
    let events: Vec<Value> = serde_json::from_str(events).expect("a list of events");
    events.iter().for_each(|event| run.emit(event));
    run.done("completed");
}

/// Emits text until it is killed.
fn fill(run: &mut Run) {
    loop {
        run.say(&"x".repeat(1000));
        std::thread::sleep(Duration::from_micros(200));
    }
}
