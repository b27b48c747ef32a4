//! `methods.json`: methods, notifications and error kinds as tables for programs.

use od_protocol::{
    CANCEL_REQUEST, ErrorKind, MAX_LINE_BYTES, METHODS, Method, PROTOCOL_MAJOR, PROTOCOL_REVISION,
    RUN_EVENT,
};
use serde_json::{Value, json};

use super::committed::{check, pretty};
use super::document::definitions;

/// A notification: its name, the side that sends it, its parameters' type and what it is for.
pub(crate) struct Notification {
    pub(crate) name: &'static str,
    pub(crate) sender: &'static str,
    pub(crate) params: &'static str,
    pub(crate) summary: &'static str,
}

/// All notifications.
pub(crate) const NOTIFICATIONS: &[Notification] = &[
    Notification {
        name: RUN_EVENT,
        sender: "adapter",
        params: "RunEventParams",
        summary: "Says what happened in a run.",
    },
    Notification {
        name: CANCEL_REQUEST,
        sender: "host",
        params: "CancelRequestParams",
        summary: "Gives a request up; it still gets a response.",
    },
];

fn generate() -> Value {
    json!({
        "protocol": PROTOCOL_MAJOR,
        "revision": PROTOCOL_REVISION,
        "maxLineBytes": MAX_LINE_BYTES,
        "methods": METHODS.iter().map(method).collect::<Vec<_>>(),
        "notifications": NOTIFICATIONS.iter().map(notification).collect::<Vec<_>>(),
        "errors": ErrorKind::KNOWN.iter().map(error).collect::<Vec<_>>(),
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

fn error(kind: &ErrorKind) -> Value {
    json!({ "kind": kind, "code": kind.code(), "summary": kind.summary() })
}

#[test]
fn methods_json_is_current() {
    check("schemas/v1/methods.json", &pretty(&generate()));
}

#[test]
fn every_type_of_the_table_is_in_the_schema() {
    let names = METHODS.iter().flat_map(|method| [method.params, method.result]);
    for name in names.chain(NOTIFICATIONS.iter().map(|notification| notification.params)) {
        assert!(definitions().contains_key(name), "{name} is in the table but not in the schema");
    }
}

#[test]
fn every_gate_is_a_capability() {
    let capabilities = super::shape::record_fields("Capabilities");
    for gate in METHODS.iter().filter_map(|method| method.gate) {
        assert!(capabilities.iter().any(|field| field.name == gate), "{gate} is no capability");
    }
}
