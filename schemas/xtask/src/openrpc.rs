//! `openrpc.json`: a contract's methods as an OpenRPC 1.3 document that needs no other file.

use od_protocol::Method;
use od_protocol::api::Subscription;
use serde_json::{Map, Value, json};

use crate::contract::{Contract, Notification};

pub fn generate(contract: &'static Contract) -> Value {
    let methods = contract.methods.iter().map(|entry| method(contract, entry));
    let subscriptions =
        contract.subscriptions.iter().flat_map(|entry| subscription(contract, entry));
    let notifications = contract.notifications.iter().map(|entry| notification(contract, entry));
    let description = format!(
        "{} Generated from the Rust types in protocol/: do not edit.",
        contract.about_methods
    );
    let mut document = json!({
        "openrpc": "1.3.2",
        "info": {
            "title": contract.title,
            "version": contract.major.1.to_string(),
            "description": description,
            "license": { "name": "MIT OR Apache-2.0" },
        },
        "methods": methods.chain(subscriptions).collect::<Vec<_>>(),
        "x-notifications": notifications.collect::<Vec<_>>(),
        "components": { "schemas": contract.definitions(), "errors": errors(contract) },
    });
    point_to_components(&mut document);
    document
}

fn method(contract: &'static Contract, method: &Method) -> Value {
    let reference = json!({ "$ref": format!("#/$defs/{}", method.result) });
    let result = match method.nullable {
        true => json!({ "anyOf": [reference, { "type": "null" }] }),
        false => reference,
    };
    json!({
        "name": method.name,
        "summary": method.summary,
        "paramStructure": "by-name",
        "params": parameters(contract, method.params),
        "result": { "name": method.result, "schema": result },
        "x-gate": method.gate,
        "x-limitMs": method.limit_ms,
    })
}

/// The call that starts a subscription, and the call that ends it.
fn subscription(contract: &'static Contract, subscription: &Subscription) -> [Value; 2] {
    let id = json!({ "type": "string" });
    [
        json!({
            "name": subscription.subscribe,
            "summary": subscription.summary,
            "paramStructure": "by-name",
            "params": parameters(contract, subscription.params),
            "result": { "name": "subscription", "schema": id },
            "x-notification": subscription.notification,
            "x-unsubscribe": subscription.unsubscribe,
        }),
        json!({
            "name": subscription.unsubscribe,
            "summary": format!("Ends a subscription of `{}`; false if it has already ended.", subscription.subscribe),
            "paramStructure": "by-position",
            "params": [{ "name": "subscription", "required": true, "schema": id }],
            "result": { "name": "ended", "schema": { "type": "boolean" } },
        }),
    ]
}

fn notification(contract: &'static Contract, notification: &Notification) -> Value {
    json!({
        "name": notification.name,
        "summary": notification.summary,
        "x-sender": notification.sender,
        "paramStructure": "by-name",
        "params": parameters(contract, notification.params),
    })
}

/// OpenRPC describes each named parameter by itself.
fn parameters(contract: &'static Contract, name: &str) -> Vec<Value> {
    let schema = &contract.definitions()[name];
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

fn errors(contract: &Contract) -> Map<String, Value> {
    let rows = (contract.errors)().into_iter();
    rows.map(|row| (row.kind.to_owned(), json!({ "code": row.code, "message": row.summary })))
        .collect()
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
