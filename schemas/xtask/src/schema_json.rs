//! `schema.json`: the Rust types as one JSON Schema document (draft 2020-12).

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::contract::Contract;

/// The largest integer that every language reads exactly.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

impl Contract {
    /// All definitions by name.
    pub fn definitions(&'static self) -> &'static Map<String, Value> {
        self.document["$defs"].as_object().expect("the document has definitions")
    }
}

/// The document of a contract.
pub fn generate(contract: &Contract) -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    for message_type in contract.types {
        (message_type.describe)(&mut generator);
    }
    let mut definitions = Value::Object(generator.take_definitions(true));
    portable(&mut definitions);
    let description = format!(
        "{} Generated from the Rust types in protocol/: do not edit.",
        contract.about_schema
    );
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": contract.id,
        "title": contract.versioned_title(),
        "description": description,
        "$defs": definitions,
    })
}

/// Replaces the names of Rust's number types, which validators do not know, by limits that all of
/// them check, and reduces a description to its first paragraph, without the examples.
fn portable(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(portable),
        Value::Object(members) => {
            let format = members.get("format").and_then(Value::as_str).map(str::to_owned);
            if let Some((minimum, maximum)) = format.as_deref().and_then(limits) {
                members.remove("format");
                members.insert("minimum".to_owned(), minimum);
                members.insert("maximum".to_owned(), maximum);
            } else if format.as_deref() == Some("double") {
                members.remove("format");
            }
            if let Some(Value::String(text)) = members.get_mut("description") {
                let first_paragraph = text.split("\n\n").next().unwrap_or_default();
                *text = first_paragraph.replace('\n', " ");
            }
            members.values_mut().for_each(portable);
        }
        _ => {}
    }
}

fn limits(format: &str) -> Option<(Value, Value)> {
    match format {
        "uint32" => Some((json!(0), json!(u32::MAX))),
        "uint64" => Some((json!(0), json!(MAX_SAFE_INTEGER))),
        "int32" => Some((json!(i32::MIN), json!(i32::MAX))),
        _ => None,
    }
}
