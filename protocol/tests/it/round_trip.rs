//! Every value of every type survives: read, written, read again; and the schema agrees.

use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::Value;

use crate::messages::{MESSAGE_TYPES, MessageType};
use crate::schemas::shape::{self, Field, Kind, Shape};
use crate::strategy::{From, instances};
use crate::validator::objections;

/// How many instances of each type, so that all of them take a few seconds in debug.
const CASES: u32 = 24;

#[test]
fn values_of_this_version_keep_everything() {
    for message_type in MESSAGE_TYPES {
        check(message_type, From::ThisVersion);
    }
}

#[test]
fn values_of_a_later_version_are_read() {
    for message_type in MESSAGE_TYPES {
        check(message_type, From::LaterVersion);
    }
}

fn check(message_type: &MessageType, from: From) {
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config)
        .run(&instances(message_type.name, from), |value| holds(message_type, from, &value));
    if let Err(error) = outcome {
        panic!("{}: {error}", message_type.name);
    }
}

fn holds(message_type: &MessageType, from: From, value: &Value) -> Result<(), TestCaseError> {
    let name = message_type.name;
    fits(name, value)?;
    let trip = (message_type.round_trip)(value)
        .map_err(|error| TestCaseError::fail(format!("refused: {error}")))?;
    if !trip.equal {
        return Err(TestCaseError::fail(format!("read again it is another value: {}", trip.text)));
    }
    let written = trip.value();
    fits(name, &written)?;
    match from {
        From::ThisVersion => kept(&Kind::Reference(name), value, &written, name),
        From::LaterVersion => Ok(()),
    }
}

fn fits(name: &str, value: &Value) -> Result<(), TestCaseError> {
    let objections = objections(name, value);
    match objections.is_empty() {
        true => Ok(()),
        false => Err(TestCaseError::fail(format!("{value}: {}", objections.join("; ")))),
    }
}

/// Whether all that was said is still said after the value went through its type.
fn kept(kind: &Kind, before: &Value, after: &Value, path: &str) -> Result<(), TestCaseError> {
    match (kind, before, after) {
        (Kind::Reference(name), ..) => match shape::definition(name).shape {
            Shape::Record(fields) => fields_kept(&fields, before, after, path),
            Shape::Events(types) => {
                let event = types.into_iter().find(|event| before["type"] == event.word);
                let payload = event.expect("a known event").payload;
                same(&before["type"], &after["type"], path)?;
                fields_kept(&shape::record_fields(payload), before, after, path)
            }
            Shape::Words { .. } | Shape::LaterEvent => same(before, after, path),
        },
        (Kind::ListOf(kind), Value::Array(before), Value::Array(after)) => {
            same(&before.len().into(), &after.len().into(), path)?;
            before.iter().zip(after).try_for_each(|(before, after)| kept(kind, before, after, path))
        }
        (Kind::Number, ..) => same(&before.as_f64().into(), &after.as_f64().into(), path),
        _ => same(before, after, path),
    }
}

fn fields_kept(
    fields: &[Field],
    before: &Value,
    after: &Value,
    path: &str,
) -> Result<(), TestCaseError> {
    for field in fields {
        let (before, after) = (before.get(field.name), after.get(field.name));
        match (before.filter(|value| !means_absent(value)), after) {
            (Some(before), Some(after)) => {
                kept(&field.kind, before, after, &format!("{path}.{}", field.name))?;
            }
            (Some(_), None) => {
                return Err(TestCaseError::fail(format!("{path}.{} is lost", field.name)));
            }
            (None, _) => {}
        }
    }
    Ok(())
}

/// Null, and a list or map of nothing, may be left out.
fn means_absent(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

fn same(before: &Value, after: &Value, path: &str) -> Result<(), TestCaseError> {
    match before == after {
        true => Ok(()),
        false => Err(TestCaseError::fail(format!("{path} was {before} and is now {after}"))),
    }
}
