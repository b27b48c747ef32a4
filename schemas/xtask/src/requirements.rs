//! `requirements.json`: the id and text of every requirement of the adapter protocol. Sentences have written ids; the ids of
//! methods, notifications, events, fields and enumerated values are derived from the types.

use od_protocol::adapter::METHODS;
use od_protocol::{PROTOCOL_MAJOR, PROTOCOL_REVISION};
use serde_json::{Value, json};

use crate::contract::ADAPTER;
use crate::files::{GeneratedFile, pretty};
use crate::normative_text::{NormativeText, Sentence};
use crate::shape::{Definition, Shape};
use crate::specification;

/// The generated file.
pub fn file() -> GeneratedFile {
    let requirements: Vec<Value> =
        all().into_iter().map(|Sentence { id, text }| json!({ "id": id, "text": text })).collect();
    let document = json!({
        "protocol": PROTOCOL_MAJOR,
        "revision": PROTOCOL_REVISION,
        "requirements": requirements,
    });
    GeneratedFile::new(ADAPTER.file("requirements.json"), pretty(&document))
}

/// Every requirement, those of the text first.
pub fn all() -> Vec<Sentence> {
    let mut requirements = NormativeText::parse(&specification::text()).sentences;
    let named = |id: String, text: &str| Sentence { id, text: text.to_owned() };
    let methods = METHODS.iter();
    requirements
        .extend(methods.map(|method| named(format!("method:{}", method.name), method.summary)));
    let notifications = ADAPTER.notifications.iter();
    requirements.extend(
        notifications.map(|entry| named(format!("notification:{}", entry.name), entry.summary)),
    );
    let events = ADAPTER.event_types().into_iter();
    requirements
        .extend(events.map(|event| named(format!("event:{}", event.name), event.description)));
    requirements.extend(ADAPTER.all().iter().flat_map(of_type));
    requirements
}

/// The fields of a record, or the values of an enumeration.
fn of_type(definition: &Definition) -> Vec<Sentence> {
    let owner = definition.name;
    let named = |id: String, text: &str| Sentence { id, text: text.to_owned() };
    match &definition.shape {
        Shape::Record(fields) => fields
            .iter()
            .map(|field| named(format!("{owner}.{}", field.name), field.description))
            .collect(),
        Shape::Enum { values, .. } => values
            .iter()
            .map(|value| named(format!("{owner}={}", value.name), value.description))
            .collect(),
        Shape::Events(_) | Shape::LaterEvent => Vec::new(),
    }
}
