//! Recordings of the HTTP server: its events in, the expected events out. The host acts as the client
//! of the recording did: a decision, a cancel, a second prompt.

use od_protocol::{ApprovalOutcome, SessionChoice, SessionMode};
use od_sdk::testing::{Recording, Replay, ScriptedHttpRun};
use od_sdk::{Exit, PoliteStop};
use serde_json::{Value, json};

use crate::handshake::{events, params, until_session};

pub(crate) fn replay_recording(recording: &Recording) -> Replay {
    let meta = recording.meta();
    let session = match meta["parent"].as_str() {
        Some(parent) => SessionChoice { mode: SessionMode::Fork, id: Some(parent.to_owned()) },
        None => SessionChoice::default(),
    };
    let mut mapper = events(&params(|params| params.session = session));
    let mut run = ScriptedHttpRun::begin(&mut mapper);
    let opened = json!({"id": meta["session"], "directory": "/workspace", "time": {"updated": meta["updated"]}});
    until_session(&mut run, &opened);
    for _ in 0..meta["inputs"].as_u64().unwrap_or_default() {
        run.input("something more");
    }
    for line in recording.read("sse.jsonl").lines() {
        let event: Value = serde_json::from_str(line).expect("an event is JSON");
        run.event(&event);
        act(&meta, &event, &mut run);
    }
    run.finish(&Exit { signal: Some(15), ..Exit::default() })
}

/// What the host does after this event.
fn act(meta: &Value, event: &Value, run: &mut ScriptedHttpRun<'_>) {
    if event["type"] == "permission.asked" {
        let outcome = ApprovalOutcome::from_wire(meta["decision"].as_str().unwrap_or_default());
        let id = event["properties"]["id"].as_str().unwrap_or_default();
        run.decide(id, outcome, meta["message"].as_str());
    }
    let cancels = meta["cancel_after"].as_str();
    if cancels.is_some_and(|text| event.to_string().contains(text))
        && event["type"] == "message.part.delta"
    {
        assert_eq!(run.cancel(), PoliteStop::Written);
    }
}
