//! `methods.json`: methods, notifications and error kinds of the adapter protocol as tables for
//! programs.

use od_protocol::{MAX_LINE_BYTES, METHODS, Method, PROTOCOL_MAJOR, PROTOCOL_REVISION};
use serde_json::{Value, json};

use super::committed::{check, pretty};
use super::contract::{ADAPTER, CONTRACTS, ErrorRow, Notification};

fn generate() -> Value {
    json!({
        "protocol": PROTOCOL_MAJOR,
        "revision": PROTOCOL_REVISION,
        "maxLineBytes": MAX_LINE_BYTES,
        "methods": METHODS.iter().map(method).collect::<Vec<_>>(),
        "notifications": ADAPTER.notifications.iter().map(notification).collect::<Vec<_>>(),
        "errors": (ADAPTER.errors)().iter().map(error).collect::<Vec<_>>(),
    })
}

fn method(method: &Method) -> Value {
    json!({
        "name": method.name,
        "gate": method.gate,
        "limitMs": method.limit_ms,
        "params": method.params,
        "result": method.result,
        "nullable": method.nullable,
        "summary": method.summary,
    })
}

fn notification(notification: &Notification) -> Value {
    json!({
        "name": notification.name,
        "sender": notification.sender,
        "params": notification.params,
        "summary": notification.summary,
    })
}

fn error(error: &ErrorRow) -> Value {
    json!({ "kind": error.kind, "code": error.code, "summary": error.summary })
}

#[test]
fn methods_json_is_current() {
    check(&ADAPTER.file("methods.json"), &pretty(&generate()));
}

#[test]
fn every_type_of_the_tables_is_in_the_schema() {
    for contract in CONTRACTS {
        let methods = contract.methods.iter().flat_map(|method| [method.params, method.result]);
        let subscriptions =
            contract.subscriptions.iter().flat_map(|entry| [entry.params, entry.item]);
        let notifications = contract.notifications.iter().map(|entry| entry.params);
        for name in methods.chain(subscriptions).chain(notifications) {
            assert!(contract.definitions().contains_key(name), "{name} is not in the schema");
        }
    }
}

#[test]
fn every_gate_is_a_capability() {
    let capabilities = ADAPTER.record_fields("Capabilities");
    for gate in METHODS.iter().filter_map(|method| method.gate) {
        assert!(capabilities.iter().any(|field| field.name == gate), "{gate} is no capability");
    }
}
