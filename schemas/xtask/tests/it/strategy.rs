//! Arbitrary instances of any definition, generated from the published schema.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Map, Number, Value, json};

use xtask::contract::Contract;
use xtask::shape::{Field, Kind, Shape};

/// Which version of the protocol the instance comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum From {
    /// Only values, fields and event types of the schema.
    ThisVersion,
    /// Also unknown values, fields and event types.
    LaterVersion,
}

/// Arbitrary instances of the definition of that name.
pub(crate) fn instances(
    contract: &'static Contract,
    name: &str,
    from: From,
) -> BoxedStrategy<Value> {
    match contract.definition(name).shape {
        Shape::Record(fields) => record(contract, fields, Map::new(), from),
        Shape::Enum { values, .. } => {
            let known = values.into_iter().map(|name| Value::from(name.name)).collect::<Vec<_>>();
            with_later(proptest::sample::select(known).boxed(), text(), from)
        }
        Shape::Events(types) => {
            let known = types.into_iter().map(|event| {
                let tag = Map::from_iter([("type".to_owned(), Value::from(event.name))]);
                record(contract, contract.record_fields(event.payload), tag, from)
            });
            let known = proptest::strategy::Union::new(known).boxed();
            with_later(known, later_event(), from)
        }
        Shape::LaterEvent => later_event(),
    }
}

fn with_later(
    known: BoxedStrategy<Value>,
    later: BoxedStrategy<Value>,
    from: From,
) -> BoxedStrategy<Value> {
    match from {
        From::ThisVersion => known,
        From::LaterVersion => prop_oneof![3 => known, 1 => later].boxed(),
    }
}

/// Required fields always, the others half of the time, null where it is allowed.
fn record(
    contract: &'static Contract,
    fields: Vec<Field>,
    start: Map<String, Value>,
    from: From,
) -> BoxedStrategy<Value> {
    let names: Vec<&'static str> = fields.iter().map(|field| field.name).collect();
    let values: Vec<BoxedStrategy<Option<Value>>> =
        fields.iter().map(|field| field_values(contract, field, from)).collect();
    let unknown = match from {
        From::ThisVersion => Just(Map::new()).boxed(),
        From::LaterVersion => any_members(2),
    };
    (values, unknown)
        .prop_map(move |(values, unknown)| {
            // Names of the schema never start with `later`, so nothing known is overwritten.
            let mut members = start.clone();
            members
                .extend(unknown.into_iter().map(|(name, value)| (format!("later{name}"), value)));
            let known = names.iter().zip(values);
            members.extend(known.filter_map(|(name, value)| Some(((*name).to_owned(), value?))));
            Value::Object(members)
        })
        .boxed()
}

fn field_values(
    contract: &'static Contract,
    field: &Field,
    from: From,
) -> BoxedStrategy<Option<Value>> {
    let values = values(contract, &field.kind, from);
    let values = match field.nullable {
        true => prop_oneof![4 => values, 1 => Just(Value::Null)].boxed(),
        false => values,
    };
    match field.required {
        true => values.prop_map(Some).boxed(),
        false => proptest::option::of(values).boxed(),
    }
}

fn values(contract: &'static Contract, kind: &Kind, from: From) -> BoxedStrategy<Value> {
    match kind {
        Kind::Text => text(),
        Kind::Integer { minimum, maximum } => integer(*minimum, *maximum),
        Kind::Number => number(),
        Kind::Boolean => any::<bool>().prop_map(Value::from).boxed(),
        Kind::Anything => anything(),
        Kind::AnyObject => any_members(3).prop_map(Value::Object).boxed(),
        Kind::MapOf(kind) => btree_map(any_text(), values(contract, kind, from), 0..3)
            .prop_map(|members| Value::Object(members.into_iter().collect()))
            .boxed(),
        Kind::ListOf(kind) => {
            vec(values(contract, kind, from), 0..3).prop_map(Value::Array).boxed()
        }
        Kind::Reference(name) => instances(contract, name, from),
    }
}

/// Every character that exists, line separators and control characters included.
fn any_text() -> BoxedStrategy<String> {
    vec(any::<char>(), 0..8).prop_map(String::from_iter).boxed()
}

fn text() -> BoxedStrategy<Value> {
    any_text().prop_map(Value::from).boxed()
}

fn integer(minimum: i64, maximum: i64) -> BoxedStrategy<Value> {
    prop_oneof![Just(minimum), Just(maximum), minimum..=maximum].prop_map(Value::from).boxed()
}

/// Decimals of up to fifteen digits: what prices and percentages look like. serde_json reads those
/// exactly; a longer one may differ in its last bit.
fn number() -> BoxedStrategy<Value> {
    (-1_000_000_000_000_i64..1_000_000_000_000)
        .prop_map(|millionths| json!(millionths as f64 / 1e6))
        .boxed()
}

fn anything() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(|value| Value::Number(Number::from(value))),
        number(),
        text(),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::Array),
            btree_map(any_text(), inner, 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
    .boxed()
}

fn any_members(limit: usize) -> BoxedStrategy<Map<String, Value>> {
    btree_map(any_text(), anything(), 0..limit)
        .prop_map(|members| members.into_iter().collect())
        .boxed()
}

fn later_event() -> BoxedStrategy<Value> {
    (any_members(4), "[a-z]{1,8}_of_a_later_version")
        .prop_map(|(mut members, name)| {
            members.insert("type".to_owned(), Value::from(name));
            Value::Object(members)
        })
        .boxed()
}
