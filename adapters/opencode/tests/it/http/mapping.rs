//! Cases without a recording.

use od_protocol::{ApprovalOutcome, InputOutcome};
use od_sdk::testing::Replay;
use od_sdk::{Exit, PoliteStop};
use opencode_family::http::requests as tags;
use serde_json::{Value, json};

use crate::http::live_run::{SESSION, event, events, live, params};

fn part(part: Value) -> Value {
    event("message.part.updated", json!({ "part": part }))
}

fn user(id: &str) -> Value {
    event("message.updated", json!({"info": {"id": id, "role": "user"}}))
}

fn assistant(id: &str, parent: &str) -> Value {
    event("message.updated", json!({"info": {"id": id, "role": "assistant", "parentID": parent}}))
}

fn text(id: &str, text: &str, end: bool) -> Value {
    let time = if end { json!({"start": 1, "end": 2}) } else { json!({"start": 1}) };
    part(json!({"type": "text", "id": id, "messageID": "m1", "text": text, "time": time}))
}

fn finish_step() -> Value {
    part(json!({"type": "step-finish", "id": "f", "messageID": "m1", "reason": "stop"}))
}

fn idle() -> Value {
    event("session.idle", json!({}))
}

fn text_of(replay: &Replay) -> String {
    let discarded: Vec<&Value> = replay
        .events
        .iter()
        .filter(|event| event["type"] == "message_discarded")
        .map(|event| &event["messageId"])
        .collect();
    let deltas = replay.events.iter().filter(|event| event["type"] == "text_delta");
    let counting = deltas.filter(|event| !discarded.contains(&&event["messageId"]));
    counting.filter_map(|event| event["text"].as_str()).collect()
}

fn done(replay: &Replay) -> (&str, &str) {
    let done = replay.events.last().expect("a last event");
    (done["status"].as_str().unwrap_or_default(), done["errorKind"].as_str().unwrap_or_default())
}

fn ended() -> Exit {
    Exit { signal: Some(15), ..Exit::default() }
}

#[test]
fn interrupted_answer_is_discarded() {
    let mut mapper = events(&params(|_| {}));
    let mut run = live(&mut mapper);
    run.event(&user("u1"));
    run.event(&assistant("m1", "u1"));
    run.event(&part(json!({"type": "step-start", "id": "s", "messageID": "m1"})));
    run.event(&text("p1", "half an ans", false));
    let retry =
        json!({"type": "retry", "attempt": 1, "message": "Connection reset by server", "next": 1});
    run.event(&event("session.status", json!({ "status": retry })));
    run.event(&part(json!({"type": "step-start", "id": "s2", "messageID": "m1"})));
    run.event(&text("p1", "half an ans", true));
    run.event(&text("p2", "a whole answer", true));
    run.event(&finish_step());
    run.event(&idle());
    let replay = run.finish(&ended());
    assert_eq!(done(&replay).0, "completed");
    assert_eq!(text_of(&replay), "a whole answer");
    assert!(replay.events.iter().any(|event| event["type"] == "retry"));
}

#[test]
fn silence_after_rate_limit_fails_run() {
    let mut mapper = events(&params(|_| {}));
    let mut run = live(&mut mapper);
    let retry = json!({"type": "retry", "attempt": 1, "message": "Rate limit reached", "next": 1794785988954_u64});
    run.event(&event("session.status", json!({ "status": retry })));
    run.silence();
    assert!(run.requests().iter().any(|request| request.tag == tags::ABORT));
    let replay = run.finish(&ended());
    assert_eq!(done(&replay), ("failed", "rate_limited"));
    let limited = replay.events.iter().find(|event| event["type"] == "rate_limited");
    assert_eq!(limited.expect("a rate limit")["resetsAt"], 1_794_785_988_954_u64);
}

#[test]
fn idle_ends_run_after_all_answers() {
    let mut mapper = events(&params(|_| {}));
    let mut run = live(&mut mapper);
    run.event(&idle());
    run.event(&user("u1"));
    run.event(&assistant("m1", "u1"));
    run.event(&text("p1", "one", true));
    run.event(&finish_step());
    assert_eq!(run.input("and two"), InputOutcome::Queued);
    run.event(&idle());
    run.event(&user("u2"));
    run.event(&assistant("m2", "u2"));
    run.event(&text("p2", " two", true));
    run.event(&finish_step());
    run.event(&idle());
    let replay = run.finish(&ended());
    assert_eq!((done(&replay).0, text_of(&replay).as_str()), ("completed", "one two"));
}

#[test]
fn error_before_turn_fails_run() {
    let mut mapper = events(&params(|_| {}));
    let mut run = live(&mut mapper);
    let error = json!({"name": "UnknownError", "data": {"message": "Agent not found: x"}});
    run.event(&event("session.error", json!({ "error": error })));
    assert_eq!(done(&run.finish(&ended())).0, "failed");
}

#[test]
fn refused_prompt_is_classified() {
    let mut mapper = events(&params(|_| {}));
    let mut run = live(&mut mapper);
    let body = r#"{"name":"UnknownError","data":{"message":"Model not found: a/b."}}"#;
    run.reply(tags::PROMPT, 500, body);
    assert_eq!(done(&run.finish(&ended())), ("failed", "model_unknown"));
}

#[test]
fn only_subagents_of_run_may_ask() {
    let mut mapper = events(&params(|_| {}));
    let mut run = live(&mut mapper);
    let created = json!({"sessionID": "ses_2", "info": {"id": "ses_2", "parentID": SESSION}});
    run.event(&json!({"type": "session.created", "properties": created}));
    for (session, id) in [("ses_2", "per_2"), ("ses_3", "per_3")] {
        let asked =
            json!({"sessionID": session, "id": id, "permission": "bash", "patterns": ["ls"]});
        run.event(&json!({"type": "permission.asked", "properties": asked}));
    }
    run.requests();
    run.decide("per_2", ApprovalOutcome::RejectOnce, None);
    run.decide("per_3", ApprovalOutcome::AllowOnce, None);
    let requests = run.requests();
    assert_eq!(requests.len(), 1);
    assert!(requests[0].path.starts_with("/permission/per_2/reply"));
    let body = requests[0].body.as_ref().expect("a body");
    assert_eq!(body["reply"], "reject");
    assert!(body["message"].is_string(), "a denial without a message would end the turn");
}

#[test]
fn input_answers_question() {
    let mut mapper = events(&params(|_| {}));
    let mut run = live(&mut mapper);
    let asked = json!({"id": "que_1", "questions": [{"question": "Which?"}]});
    run.event(&event("question.asked", asked));
    run.requests();
    assert_eq!(run.input("this one"), InputOutcome::Steered);
    assert_eq!(run.requests()[0].body, Some(json!({"answers": [["this one"]]})));
}

#[test]
fn cancel_aborts_session() {
    let mut mapper = events(&params(|_| {}));
    let mut run = live(&mut mapper);
    run.event(&event("session.status", json!({"status": {"type": "busy"}})));
    assert_eq!(run.cancel(), PoliteStop::Written);
    let error = json!({"name": "MessageAbortedError", "data": {"message": "Aborted"}});
    run.event(&event("session.error", json!({ "error": error })));
    run.event(&idle());
    assert_eq!(done(&run.finish(&ended())).0, "cancelled");
}

#[test]
fn structured_answer_is_emitted_as_text() {
    let mut mapper = events(&params(|_| {}));
    let mut run = live(&mut mapper);
    run.event(&user("u1"));
    let info = json!({"id": "m1", "role": "assistant", "parentID": "u1", "structured": {"a": 1}});
    run.event(&event("message.updated", json!({ "info": info })));
    run.event(&part(
        json!({"type": "step-finish", "id": "f", "messageID": "m1", "reason": "tool-calls"}),
    ));
    run.event(&idle());
    let replay = run.finish(&ended());
    assert_eq!((done(&replay).0, text_of(&replay).as_str()), ("completed", r#"{"a":1}"#));
}
