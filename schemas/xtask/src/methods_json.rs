//! `methods.json`: methods, notifications and error kinds of the adapter protocol in machine-readable form.

use od_protocol::adapter::METHODS;
use od_protocol::{MAX_LINE_BYTES, Method, PROTOCOL_MAJOR, PROTOCOL_REVISION};
use serde_json::{Value, json};

use crate::contract::{ADAPTER, ErrorRow, Notification};
use crate::files::{GeneratedFile, pretty};

/// The generated file.
pub fn file() -> GeneratedFile {
    GeneratedFile::new(ADAPTER.file("methods.json"), pretty(&generate()))
}

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
