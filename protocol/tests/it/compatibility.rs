//! Forward compatibility, one promise of the specification a test.

use od_protocol::{
    ApprovalOutcome, AuthState, DoneStatus, ErrorKind, ErrorObject, Event, RespondRunParams,
    RunEventParams,
};
use serde_json::{Value, json};

use crate::messages::message_type;
use crate::schemas::committed::repository;
use crate::schemas::contract::{ADAPTER, CONTRACTS, Contract};
use crate::schemas::shape::{Kind, Shape};

fn example_event(word: &str) -> Value {
    let file = repository().join(format!("schemas/v1/examples/event.{word}.json"));
    let text = std::fs::read_to_string(file).expect("every event has an example");
    let notification: Value = serde_json::from_str(&text).expect("an example is JSON");
    notification["params"]["event"].clone()
}

fn refusal(event: Value) -> String {
    serde_json::from_value::<Event>(event).expect_err("a malformed payload is refused").to_string()
}

/// Fields whose content is not ours: what is added inside is kept, not ignored.
const FOREIGN: &[&str] = &["input", "output", "data", "schema"];

#[test]
fn unknown_fields_are_ignored() {
    let read = |value| serde_json::from_value::<Event>(value).expect("it is read");
    for word in Event::TYPES {
        let event = example_event(word);
        let mut later = event.clone();
        add_unknown_fields(&mut later);
        assert_ne!(later, event);
        assert_eq!(read(later), read(event), "{word}");
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
fn an_unknown_event_type_is_kept_and_forwarded() {
    let params = json!({
        "runId": "r", "seq": 4, "ts": 5,
        "event": { "type": "hologram", "z": null, "a": { "deep": [1, 2.5, "\u{2028}"] } },
    });
    let read: RunEventParams = serde_json::from_value(params.clone()).expect("it is read");
    assert!(matches!(read.event, Event::Unknown(_)));
    assert_eq!(read.event.type_name(), "hologram");
    assert_eq!(serde_json::to_value(&read).expect("it is written"), params);
}

#[test]
fn an_event_without_a_type_is_refused() {
    assert_eq!(refusal(json!({ "text": "x" })), "missing field `type`");
    assert_eq!(refusal(json!({ "type": 7 })), "missing field `type`");
}

#[test]
fn an_unknown_approval_outcome_is_a_denial() {
    let respond = json!({ "runId": "r", "approvalId": "a", "outcome": "allow_for_a_week" });
    let read: RespondRunParams = serde_json::from_value(respond).expect("it is read");
    assert!(!read.outcome.is_allowed());
    assert_eq!(read.outcome, ApprovalOutcome::RejectOnce);
}

#[test]
fn an_unknown_done_status_is_a_failure() {
    let mut done = example_event("done");
    done["status"] = json!("mostly_completed");
    let Event::Done(done) = serde_json::from_value(done).expect("it is read") else {
        panic!("done is done");
    };
    assert_eq!(done.status, DoneStatus::Failed);
}

#[test]
fn an_unknown_auth_state_is_unknown() {
    assert_eq!(AuthState::from_wire("delegated"), AuthState::Unknown);
}

#[test]
fn every_set_of_words_has_the_reading_that_the_schema_publishes() {
    for contract in CONTRACTS {
        every_set_of_words_of(contract);
    }
}

fn every_set_of_words_of(contract: &'static Contract) {
    for definition in contract.all() {
        let Shape::Words { words, fallback } = definition.shape else { continue };
        let Some(fallback) = fallback else {
            assert_eq!(definition.name, "ErrorKind", "only its unknown words are kept");
            continue;
        };
        let trip = (message_type(definition.name).round_trip)(&json!("a_word_of_a_later_version"));
        assert_eq!(trip.expect("it is read").value(), fallback, "{}", definition.name);
        assert!(words.iter().any(|word| word.word == fallback), "{}", definition.name);
    }
}

#[test]
fn an_unknown_error_kind_is_kept() {
    let error = json!({ "code": 2007, "message": "x", "data": { "kind": "_vendor.x", "retryable": false } });
    let read: ErrorObject = serde_json::from_value(error.clone()).expect("it is read");
    assert_eq!(read.kind(), ErrorKind::Vendor("_vendor.x".to_owned()));
    assert_eq!(serde_json::to_value(&read).expect("it is written"), error);
}

#[test]
fn a_missing_field_of_a_known_event_is_named() {
    for event in ADAPTER.event_types() {
        for field in ADAPTER.record_fields(event.payload).iter().filter(|field| field.required) {
            let mut malformed = example_event(event.word);
            malformed.as_object_mut().expect("an object").remove(field.name);
            let expected =
                format!("malformed event {}: missing field `{}`", event.word, field.name);
            assert_eq!(refusal(malformed), expected);
        }
    }
}

#[test]
fn a_field_of_the_wrong_kind_is_named() {
    for event in ADAPTER.event_types() {
        for field in ADAPTER.record_fields(event.payload) {
            if matches!(field.kind, Kind::Anything) {
                continue;
            }
            let mut malformed = example_event(event.word);
            // No field of any event is a list of lists.
            malformed[field.name] = json!([[["wrong"]]]);
            let expected = format!("malformed event {}: field `{}`: ", event.word, field.name);
            let refusal = refusal(malformed);
            assert!(refusal.starts_with(&expected), "{refusal}");
        }
    }
}
