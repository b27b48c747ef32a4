//! `openrpc.json`: the adapter's methods as an OpenRPC 1.3 document that needs no other file.

use od_protocol::{ErrorKind, METHODS, Method, PROTOCOL_MAJOR};
use serde_json::{Map, Value, json};

use super::committed::{check, pretty};
use super::document::{DOCUMENT, definitions};
use super::methods::{NOTIFICATIONS, Notification};

fn generate() -> Value {
    let mut document = json!({
        "openrpc": "1.3.2",
        "info": {
            "title": "OD adapter protocol",
            "version": PROTOCOL_MAJOR.to_string(),
            "description": "What an od-adapter-* executable answers on its stdin and stdout, one \
                JSON-RPC 2.0 message a line. Generated from the Rust types in protocol/: do not \
                edit.",
            "license": { "name": "MIT OR Apache-2.0" },
        },
        "methods": METHODS.iter().map(method).collect::<Vec<_>>(),
        "x-notifications": NOTIFICATIONS.iter().map(notification).collect::<Vec<_>>(),
        "components": { "schemas": definitions(), "errors": errors() },
    });
    point_to_components(&mut document);
    document
}

fn method(method: &Method) -> Value {
    let reference = json!({ "$ref": format!("#/$defs/{}", method.result) });
    let result = match method.nullable {
        true => json!({ "anyOf": [reference, { "type": "null" }] }),
        false => reference,
    };
    json!({
        "name": method.name,
        "summary": method.summary,
        "paramStructure": "by-name",
        "params": parameters(method.params),
        "result": { "name": method.result, "schema": result },
        "x-gate": method.gate,
        "x-limitMs": method.limit_ms,
    })
}

fn notification(notification: &Notification) -> Value {
    json!({
        "name": notification.name,
        "summary": notification.summary,
        "x-sender": notification.sender,
        "paramStructure": "by-name",
        "params": parameters(notification.params),
    })
}

/// OpenRPC describes each named parameter by itself.
fn parameters(name: &str) -> Vec<Value> {
    let schema = &definitions()[name];
    let required = |name: &String| {
        schema["required"].as_array().is_some_and(|names| names.iter().any(|entry| entry == name))
    };
    let properties = schema["properties"].as_object().into_iter().flatten();
    let mut parameters: Vec<Value> = properties
        .map(|(name, schema)| json!({ "name": name, "required": required(name), "schema": schema }))
        .collect();
    parameters.sort_by_key(|parameter| parameter["required"] != true);
    parameters
}

fn errors() -> Map<String, Value> {
    let error = |kind: &ErrorKind| json!({ "code": kind.code(), "message": kind.summary() });
    ErrorKind::KNOWN.iter().map(|kind| (kind.to_string(), error(kind))).collect()
}

fn point_to_components(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(point_to_components),
        Value::Object(members) => {
            if let Some(Value::String(target)) = members.get_mut("$ref") {
                *target = target.replace("#/$defs/", "#/components/schemas/");
            }
            members.values_mut().for_each(point_to_components);
        }
        _ => {}
    }
}

/// Calls `visit` with every reference of a document.
fn each_reference(value: &Value, visit: &mut impl FnMut(&str)) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| each_reference(item, visit)),
        Value::Object(members) => {
            if let Some(Value::String(target)) = members.get("$ref") {
                visit(target);
            }
            members.values().for_each(|member| each_reference(member, visit));
        }
        _ => {}
    }
}

#[test]
fn every_reference_leads_somewhere() {
    for document in [&generate(), &*DOCUMENT] {
        each_reference(document, &mut |target| {
            let pointer = target.strip_prefix('#').expect("a reference into the same document");
            assert!(document.pointer(pointer).is_some(), "{target} leads nowhere");
        });
    }
}

#[test]
fn openrpc_json_is_current() {
    check("schemas/v1/openrpc.json", &pretty(&generate()));
}
