//! Every recording: the real server's events in, the expected events out. What the client of the
//! recording did, the host does again: a decision, a cancel, a second prompt.

use std::fs;
use std::path::PathBuf;

use od_protocol::{ApprovalOutcome, SessionChoice, SessionMode};
use od_sdk::testing::{HttpTalk, check_events};
use od_sdk::{Exit, PoliteStop};
use serde_json::{Value, json};

use crate::http::talk::{events, params, until_session};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("opencode-http/recordings/1.18.33")
}

fn read(scenario: &str, part: &str) -> String {
    let path = folder().join(format!("{scenario}.{part}"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What the host does when this event has gone by.
fn act(meta: &Value, event: &Value, talk: &mut HttpTalk<'_>) {
    if event["type"] == "permission.asked" {
        let outcome = ApprovalOutcome::from_wire(meta["decision"].as_str().unwrap_or_default());
        let id = event["properties"]["id"].as_str().unwrap_or_default();
        talk.decide(id, outcome, meta["message"].as_str());
    }
    let cancels = meta["cancel_after"].as_str();
    if cancels.is_some_and(|text| event.to_string().contains(text))
        && event["type"] == "message.part.delta"
    {
        assert_eq!(talk.cancel(), PoliteStop::Written);
    }
}

fn check(scenario: &str) {
    let meta: Value = serde_json::from_str(&read(scenario, "meta.json")).expect("meta is JSON");
    let session = match meta["parent"].as_str() {
        Some(parent) => SessionChoice { mode: SessionMode::Fork, id: Some(parent.to_owned()) },
        None => SessionChoice::default(),
    };
    let mut mapper = events(&params(|params| params.session = session));
    let mut talk = HttpTalk::begin(&mut mapper);
    let opened = json!({"id": meta["session"], "directory": "/workspace", "time": {"updated": meta["updated"]}});
    until_session(&mut talk, &opened);
    for _ in 0..meta["inputs"].as_u64().unwrap_or_default() {
        talk.input("something more");
    }
    for line in read(scenario, "sse.jsonl").lines() {
        let event: Value = serde_json::from_str(line).expect("an event is JSON");
        talk.event(&event);
        act(&meta, &event, &mut talk);
    }
    let replay = talk.finish(&Exit { signal: Some(15), ..Exit::default() });
    check_events(&folder().join(format!("{scenario}.events.jsonl")), &replay);
}

macro_rules! recordings {
    ($($scenario:ident)+) => {
        $(#[test] fn $scenario() { check(stringify!($scenario)); })+

        #[test]
        fn every_recording_is_a_test() {
            let files = fs::read_dir(folder()).expect("the recordings are there");
            let names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
            let mut recorded: Vec<String> = names
                .filter_map(|name| name.strip_suffix(".sse.jsonl").map(str::to_owned))
                .collect();
            recorded.sort();
            assert_eq!(recorded, [$(stringify!($scenario)),+]);
        }
    };
}

recordings! {
    abort ask_allow ask_reject auth badmodel failtool fork rate text think_then_tool
}
