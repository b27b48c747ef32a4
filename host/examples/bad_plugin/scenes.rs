//! How a run goes, well or badly.

use std::time::Duration;

use od_protocol::{ErrorKind, ErrorObject};
use serde_json::{Value, json};

use crate::wire::{answer, bytes, event_line, forever, line, refuse};
use crate::{Mode, orphan, troubles, violations};

/// The run so far.
#[derive(Default)]
pub(crate) struct Scene {
    pub(crate) run_id: String,
    pub(crate) seq: u64,
}

impl Scene {
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

    /// `run/input`: echoes; the word `finish` ends the run.
    pub(crate) fn input(&mut self, id: &Value, params: &Value) {
        answer(id, &json!({"outcome": "steered"}));
        let text = params["text"].as_str().unwrap_or_default();
        self.emit(&json!({"type": "user_message", "text": text}));
        if text == "finish" {
            self.done("completed");
        }
    }

    /// The run is over and so is the adapter: it answers nobody any more.
    pub(crate) fn leave(&mut self) {
        self.done("completed");
        std::process::exit(0);
    }

    /// `run/respond`: tells the decision and ends the run.
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
pub(crate) fn start(mode: &Mode, scene: &mut Scene, id: &Value, params: &Value) {
    if mode.word == "refuses_run" {
        let error = ErrorObject::new(ErrorKind::AuthMissing, "nobody is logged in");
        return refuse(id, &error.with_hint("test login"));
    }
    if mode.word.starts_with("forgets at_once") && troubles::resumes(params) {
        return refuse(id, &ErrorObject::new(ErrorKind::SessionUnknown, "no such session"));
    }
    scene.run_id = params["runId"].as_str().unwrap_or_default().to_owned();
    answer(id, &json!({"runId": scene.run_id}));
    scene.emit(&json!({"type": "run_started", "pid": std::process::id(), "argv": []}));
    let prompt = params["prompt"]["text"].as_str().unwrap_or_default();
    match mode.word.split_once(' ').map_or((mode.word.as_str(), ""), |split| split) {
        ("crash", _) => crash(scene),
        ("hang", _) => forever(),
        ("garbage", _) => garbage(scene),
        ("flood", count) => flood(scene, count.parse().unwrap_or(1)),
        ("orphan", _) => leave_an_orphan(scene),
        ("closes_output", _) => closes_output(scene),
        ("violates", how) => violations::start(scene, how),
        ("other_order", _) => other_order(scene),
        ("waits" | "deaf" | "leaves", _) => scene.say("waiting"),
        ("asks", _) => ask(scene),
        ("env", _) => tell_environment(scene),
        ("tells", events) => tell(scene, events),
        ("fills", _) => fill(scene),
        ("plays", file) => play(scene, file),
        ("limited" | "forgets" | "breaks" | "fails" | "lingers" | "repeats", _) => {
            troubles::start(mode, scene, params);
        }
        _ => good(scene, prompt),
    }
}

/// `run/cancel`.
pub(crate) fn cancel(mode: &Mode, scene: &mut Scene, id: &Value) {
    answer(id, &json!({"accepted": true}));
    if mode.word != "deaf" {
        scene.done("cancelled");
    }
}

fn good(scene: &mut Scene, prompt: &str) {
    scene.emit(&json!({"type": "session_started", "sessionId": "s1", "mode": "new"}));
    scene.say(&format!("{} bytes: \"quoted\"\n\u{2028}ü", prompt.len()));
    scene.done("completed");
}

/// Events from a file, one a line; the last is `done`.
fn play(scene: &mut Scene, file: &str) {
    let events = std::fs::read_to_string(file).expect("a file of events");
    for event in events.lines() {
        scene.emit(&serde_json::from_str(event).expect("an event"));
    }
}

fn crash(scene: &mut Scene) {
    scene.emit(&json!({"type": "thinking_started", "thinkingId": "t"}));
    scene.emit(&json!({
        "type": "tool_call_started", "toolCallId": "c", "name": "sh", "kind": "execute",
    }));
    eprintln!("thread 'main' panicked: boom");
    std::process::exit(7);
}

/// Everything that is no event of this run, between events that are.
fn garbage(scene: &mut Scene) {
    line("plain text on stdout");
    bytes(b"\xff\xfe binary \x00\n\n\r\n");
    line(r#"{"jsonrpc":"2.0","id":4711,"result":{}}"#);
    line(r#"{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}"#);
    line(r#"{"jsonrpc":"2.0","method":"surprise","params":{}}"#);
    line(r#"{"jsonrpc":"2.0","id":1,"method":"host/please","params":{}}"#);
    line("[1,2,3]");
    scene.say("one");
    line(&event_line("another-run", 9, &json!({"type": "heartbeat"})));
    line("next: {\"method\":\"run/event\"}");
    scene.say("two");
    scene.done("completed");
    line(&event_line(&scene.run_id, scene.seq, &json!({"type": "heartbeat"})));
}

fn flood(scene: &mut Scene, count: u64) {
    let mut chunk = String::new();
    for index in 0..count {
        let event = json!({"type": "text_delta", "messageId": "m", "text": format!("{index:08}")});
        chunk.push_str(&event_line(&scene.run_id, scene.seq, &event));
        chunk.push('\n');
        scene.seq += 1;
        if chunk.len() > 64 * 1024 {
            bytes(chunk.as_bytes());
            chunk.clear();
        }
    }
    bytes(chunk.as_bytes());
    scene.done("completed");
}

fn leave_an_orphan(scene: &mut Scene) {
    let pid = orphan::start();
    scene.say(&pid.to_string());
}

/// Closes stdout by becoming a process without one; only the exit of this one would tell otherwise.
fn closes_output(scene: &mut Scene) {
    scene.say("soon gone");
    #[cfg(unix)]
    {
        let null = std::fs::File::create("/dev/null").expect("a null device");
        rustix::stdio::dup2_stdout(&null).expect("stdout can be replaced");
    }
    forever();
}

fn other_order(scene: &mut Scene) {
    let event = json!({"text": "shuffled", "type": "text_delta", "messageId": "m"});
    let run_id = &scene.run_id;
    line(&format!(
        r#" {{"params": {{"event": {event}, "ts": 5, "seq": {}, "runId": "{run_id}"}}, "method": "run/event", "jsonrpc": "2.0"}}"#,
        scene.seq
    ));
    scene.seq += 1;
    scene.done("completed");
}

fn ask(scene: &mut Scene) {
    scene.emit(&json!({
        "type": "approval_requested", "approvalId": "a1", "category": "execute", "risk": "high",
        "summary": "run rm", "options": [{"id": "y", "kind": "allow_once"}], "deadlineMs": null,
    }));
}

fn tell_environment(scene: &mut Scene) {
    let mut names: Vec<String> = std::env::vars().map(|(name, _)| name).collect();
    names.sort();
    scene.say(&names.join(" "));
    scene.done("completed");
}

/// Tells the events of a JSON list.
fn tell(scene: &mut Scene, events: &str) {
    let events: Vec<Value> = serde_json::from_str(events).expect("a list of events");
    events.iter().for_each(|event| scene.emit(event));
    scene.done("completed");
}

/// Talks until it is stopped.
fn fill(scene: &mut Scene) {
    loop {
        scene.say(&"x".repeat(1000));
        std::thread::sleep(Duration::from_micros(200));
    }
}
