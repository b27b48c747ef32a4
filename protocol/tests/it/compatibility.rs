//! Forward compatibility: one test for each promise of the specification.

use od_protocol::adapter::RespondRunParams;
use od_protocol::{
    ApprovalOutcome, AuthState, DoneStatus, ErrorKind, ErrorObject, Event, RunEventParams,
};
use serde_json::{Value, json};

use crate::repository_folder;

fn example_event(event_type: &str) -> Value {
    let name = format!("event.{event_type}.json");
    let file = repository_folder("schemas/v1/examples").join(name);
    let text = std::fs::read_to_string(file).expect("every event has an example");
    let notification: Value = serde_json::from_str(&text).expect("an example is JSON");
    notification["params"]["event"].clone()
}

fn refusal(event: Value) -> String {
    serde_json::from_value::<Event>(event).expect_err("a malformed payload is an error").to_string()
}

/// Fields whose content the protocol does not define: additions inside them are kept, not ignored.
const FOREIGN: &[&str] = &["input", "output", "data", "schema"];

#[test]
fn unknown_fields_are_ignored() {
    let read = |value| serde_json::from_value::<Event>(value).expect("it can be read");
    for event_type in Event::TYPES {
        let event = example_event(event_type);
        let mut later = event.clone();
        add_unknown_fields(&mut later);
        assert_ne!(later, event);
        assert_eq!(read(later), read(event), "{event_type}");
    }
}

fn add_unknown_fields(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(add_unknown_fields),
        Value::Object(members) => {
            let ours = members.iter_mut().filter(|(name, _)| !FOREIGN.contains(&name.as_str()));
            ours.for_each(|(_, value)| add_unknown_fields(value));
            members.insert("addedLater".to_owned(), json!({ "deep": [1] }));
        }
        _ => {}
    }
}

#[test]
fn unknown_event_type_is_forwarded() {
    let params = json!({
        "runId": "r", "seq": 4, "ts": 5,
        "event": { "type": "hologram", "z": null, "a": { "deep": [1, 2.5, "\u{2028}"] } },
    });
    let read: RunEventParams = serde_json::from_value(params.clone()).expect("it can be read");
    assert!(matches!(read.event, Event::Unknown(_)));
    assert_eq!(read.event.type_name(), "hologram");
    assert_eq!(serde_json::to_value(&read).expect("it can be written"), params);
}

#[test]
fn event_without_type_is_rejected() {
    assert_eq!(refusal(json!({ "text": "x" })), "missing field `type`");
    assert_eq!(refusal(json!({ "type": 7 })), "missing field `type`");
}

#[test]
fn unknown_approval_outcome_is_denial() {
    let respond = json!({ "runId": "r", "approvalId": "a", "outcome": "allow_for_a_week" });
    let read: RespondRunParams = serde_json::from_value(respond).expect("it can be read");
    assert!(!read.outcome.is_allowed());
    assert_eq!(read.outcome, ApprovalOutcome::RejectOnce);
}

#[test]
fn unknown_done_status_is_failure() {
    let mut done = example_event("done");
    done["status"] = json!("mostly_completed");
    let Event::Done(done) = serde_json::from_value(done).expect("it can be read") else {
        panic!("not a done event");
    };
    assert_eq!(done.status, DoneStatus::Failed);
}

#[test]
fn unknown_auth_state_stays_unknown() {
    assert_eq!(AuthState::from_wire("delegated"), AuthState::Unknown);
}

#[test]
fn unknown_error_kind_is_kept() {
    let error = json!({ "code": 2007, "message": "x", "data": { "kind": "_vendor.x", "retryable": false } });
    let read: ErrorObject = serde_json::from_value(error.clone()).expect("it can be read");
    assert_eq!(read.kind(), ErrorKind::Vendor("_vendor.x".to_owned()));
    assert_eq!(serde_json::to_value(&read).expect("it can be written"), error);
}
