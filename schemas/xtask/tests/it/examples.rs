//! The examples of the published schemas: complete, valid and consistent with their names.

use std::collections::BTreeSet;

use od_protocol::Event;
use xtask::contract::{ADAPTER, API, CONTRACTS, Contract};
use xtask::examples::{Example, expected, file_name, read};
use xtask::files::repository;

use crate::validator::assert_valid;

#[test]
fn every_message_has_exactly_one_example() {
    for contract in CONTRACTS {
        let folder = repository().join(contract.file("examples"));
        let found: BTreeSet<String> = std::fs::read_dir(folder)
            .expect("the folder can be read")
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
            .collect();
        let names = expected(contract).into_iter().map(|(name, _)| format!("{name}.json"));
        assert_eq!(found, names.collect());
    }
}

#[test]
fn examples_are_valid() {
    for contract in CONTRACTS {
        for (name, example) in expected(contract) {
            check_valid(contract, &name, &example);
        }
    }
}

fn check_valid(contract: &Contract, name: &str, example: &Example) {
    let value = read(contract, name);
    match example {
        Example::Manifest => assert_valid(contract, "Manifest", &value),
        Example::Request { params, .. } | Example::Notification { params, .. } => {
            assert_valid(contract, params, &value["params"]);
        }
        Example::Response { result } => assert_valid(contract, result, &value["result"]),
        Example::Error => assert_valid(contract, "ErrorObject", &value["error"]),
        Example::Subscribed => assert!(value["result"].is_string(), "{name}"),
        Example::Unsubscribe { .. } => assert!(value["params"][0].is_string(), "{name}"),
        Example::Unsubscribed => assert!(value["result"].is_boolean(), "{name}"),
    }
}

#[test]
fn error_examples_match_their_names() {
    for contract in CONTRACTS {
        for row in (contract.own_errors)() {
            let error = &read(contract, &format!("error.{}", row.kind))["error"];
            let found = (&error["data"]["kind"], &error["code"]);
            assert_eq!(found, (&row.kind.into(), &row.code.into()));
        }
    }
}

#[test]
fn request_and_response_have_equal_ids() {
    for contract in CONTRACTS {
        let subscriptions =
            contract.subscriptions.iter().flat_map(|entry| [entry.subscribe, entry.unsubscribe]);
        for method in contract.methods.iter().map(|method| method.name).chain(subscriptions) {
            let name = file_name(method);
            let request = read(contract, &format!("{name}.request"));
            let response = read(contract, &format!("{name}.response"));
            assert_eq!(request["id"], response["id"], "{name}");
        }
    }
}

#[test]
fn event_examples_match_their_names() {
    for event in Event::TYPES {
        let example = read(&ADAPTER, &format!("event.{event}"));
        assert_eq!(example["params"]["event"]["type"], *event);
    }
}

#[test]
fn subscription_examples_share_one_id() {
    let id = &read(&API, "runs-attach.response")["result"];
    assert_eq!(read(&API, "runs-event")["params"]["subscription"], *id);
    assert_eq!(read(&API, "runs-detach.request")["params"][0], *id);
}
