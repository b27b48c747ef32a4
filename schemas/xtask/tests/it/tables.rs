//! The tables of methods and types refer to definitions that exist.

use od_protocol::adapter::METHODS;
use serde_json::Value;
use xtask::contract::{ADAPTER, CONTRACTS};
use xtask::message_types::{LATER_EVENT, message_type};
use xtask::openrpc;

#[test]
fn types_of_tables_are_in_schema() {
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
        let is_known = capabilities.iter().any(|field| field.name == gate);
        assert!(is_known, "{gate} is not a capability");
    }
}

#[test]
fn every_definition_has_its_rust_type() {
    for contract in CONTRACTS {
        for name in contract.definitions().keys().filter(|name| *name != LATER_EVENT) {
            assert_eq!(message_type(contract, name).name, name);
        }
    }
}

#[test]
fn every_schema_reference_resolves() {
    for contract in CONTRACTS {
        for document in [&openrpc::generate(contract), &*contract.document] {
            for target in references(document) {
                let pointer = target.strip_prefix('#').expect("a reference into the same document");
                assert!(document.pointer(pointer).is_some(), "{target} does not exist");
            }
        }
    }
}

fn references(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(items) => items.iter().flat_map(references).collect(),
        Value::Object(members) => {
            let own = members.get("$ref").and_then(Value::as_str);
            own.into_iter().chain(members.values().flat_map(references)).collect()
        }
        _ => Vec::new(),
    }
}
