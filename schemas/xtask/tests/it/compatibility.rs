//! Forward compatibility of every type of the schema.

use od_protocol::Event;
use serde_json::{Value, json};
use xtask::contract::{ADAPTER, CONTRACTS, Contract};
use xtask::examples::read;
use xtask::message_types::message_type;
use xtask::shape::{Kind, Shape};

fn example_event(event_type: &str) -> Value {
    read(&ADAPTER, &format!("event.{event_type}"))["params"]["event"].clone()
}

fn refusal(event: Value) -> String {
    serde_json::from_value::<Event>(event).expect_err("a malformed payload").to_string()
}

#[test]
fn unknown_values_read_as_schema_says() {
    for contract in CONTRACTS {
        check_unknown_values(contract);
    }
}

fn check_unknown_values(contract: &'static Contract) {
    for definition in contract.all() {
        let Shape::Enum { values, fallback } = definition.shape else { continue };
        let Some(fallback) = fallback else {
            assert_eq!(definition.name, "ErrorKind", "only its unknown values are kept");
            continue;
        };
        let trip = (message_type(contract, definition.name).round_trip)(&json!("a_later_value"));
        assert_eq!(trip.expect("it is read").value(), fallback, "{}", definition.name);
        assert!(values.iter().any(|name| name.name == fallback), "{}", definition.name);
    }
}

#[test]
fn missing_event_field_is_named() {
    for event in ADAPTER.event_types() {
        for field in ADAPTER.record_fields(event.payload).iter().filter(|field| field.required) {
            let mut malformed = example_event(event.name);
            malformed.as_object_mut().expect("an object").remove(field.name);
            let expected =
                format!("malformed event {}: missing field `{}`", event.name, field.name);
            assert_eq!(refusal(malformed), expected);
        }
    }
}

#[test]
fn event_field_of_wrong_kind_is_named() {
    for event in ADAPTER.event_types() {
        for field in ADAPTER.record_fields(event.payload) {
            if matches!(field.kind, Kind::Anything) {
                continue;
            }
            let mut malformed = example_event(event.name);
            // No field of any event is a list of lists.
            malformed[field.name] = json!([[["wrong"]]]);
            let expected = format!("malformed event {}: field `{}`: ", event.name, field.name);
            let refusal = refusal(malformed);
            assert!(refusal.starts_with(&expected), "{refusal}");
        }
    }
}
