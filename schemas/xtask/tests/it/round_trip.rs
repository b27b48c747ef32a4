//! Every value of every type survives reading and writing, and is valid against the schema.

use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::Value;

use crate::strategy::{From, instances};
use crate::validator::violations;
use xtask::contract::{ADAPTER, API, Contract};
use xtask::message_types::MessageType;
use xtask::shape::{Field, Kind, Shape};

/// How many instances of each type, so that all of them take a few seconds in debug.
const CASES: u32 = 24;

#[test]
fn adapter_values_of_this_version_survive() {
    check(&ADAPTER, From::ThisVersion);
}

#[test]
fn adapter_values_of_later_version_are_read() {
    check(&ADAPTER, From::LaterVersion);
}

#[test]
fn api_values_of_this_version_survive() {
    check(&API, From::ThisVersion);
}

#[test]
fn api_values_of_later_version_are_read() {
    check(&API, From::LaterVersion);
}

fn check(contract: &'static Contract, from: From) {
    for message_type in contract.types {
        let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
        let trip = Trip { contract, message_type, from };
        let instances = instances(contract, message_type.name, from);
        if let Err(error) = TestRunner::new(config).run(&instances, |value| trip.holds(&value)) {
            panic!("{}: {error}", message_type.name);
        }
    }
}

/// The conversion of a type's values to the Rust type and back.
struct Trip {
    contract: &'static Contract,
    message_type: &'static MessageType,
    from: From,
}

impl Trip {
    fn holds(&self, value: &Value) -> Result<(), TestCaseError> {
        self.fits(value)?;
        let trip = (self.message_type.round_trip)(value)
            .map_err(|error| TestCaseError::fail(format!("refused: {error}")))?;
        if !trip.equal {
            let text = format!("reading it again gives another value: {}", trip.text);
            return Err(TestCaseError::fail(text));
        }
        let written = trip.value();
        self.fits(&written)?;
        let name = self.message_type.name;
        match self.from {
            From::ThisVersion => self.kept(&Kind::Reference(name), value, &written, name),
            From::LaterVersion => Ok(()),
        }
    }

    fn fits(&self, value: &Value) -> Result<(), TestCaseError> {
        let violations = violations(self.contract, self.message_type.name, value);
        match violations.is_empty() {
            true => Ok(()),
            false => Err(TestCaseError::fail(format!("{value}: {}", violations.join("; ")))),
        }
    }

    /// Fails when a part of the value is lost in the Rust type.
    fn kept(
        &self,
        kind: &Kind,
        before: &Value,
        after: &Value,
        path: &str,
    ) -> Result<(), TestCaseError> {
        match (kind, before, after) {
            (Kind::Reference(name), ..) => match self.contract.definition(name).shape {
                Shape::Record(fields) => self.fields_kept(&fields, before, after, path),
                Shape::Events(types) => {
                    let event = types.into_iter().find(|event| before["type"] == event.name);
                    let payload = event.expect("a known event").payload;
                    same(&before["type"], &after["type"], path)?;
                    let fields = self.contract.record_fields(payload);
                    self.fields_kept(&fields, before, after, path)
                }
                Shape::Enum { .. } | Shape::LaterEvent => same(before, after, path),
            },
            (Kind::ListOf(kind), Value::Array(before), Value::Array(after)) => {
                same(&before.len().into(), &after.len().into(), path)?;
                let mut pairs = before.iter().zip(after);
                pairs.try_for_each(|(before, after)| self.kept(kind, before, after, path))
            }
            (Kind::Number, ..) => same(&before.as_f64().into(), &after.as_f64().into(), path),
            _ => same(before, after, path),
        }
    }

    fn fields_kept(
        &self,
        fields: &[Field],
        before: &Value,
        after: &Value,
        path: &str,
    ) -> Result<(), TestCaseError> {
        for field in fields {
            let (before, after) = (before.get(field.name), after.get(field.name));
            match (before.filter(|value| !means_absent(value)), after) {
                (Some(before), Some(after)) => {
                    self.kept(&field.kind, before, after, &format!("{path}.{}", field.name))?;
                }
                (Some(_), None) => {
                    return Err(TestCaseError::fail(format!("{path}.{} is lost", field.name)));
                }
                (None, _) => {}
            }
        }
        Ok(())
    }
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
