//! `examples/*.json`: one message a file, exactly as the types write it (but indented).
//! The committed files are the source; `UPDATE_EXPECT=1` only brings them into the canonical form.

use std::collections::BTreeSet;

use od_protocol::{Event, RUN_EVENT};
use serde_json::Value;

use super::committed::{self, check, repository};
use super::contract::{ADAPTER, API, CONTRACTS, Contract};
use crate::messages::message_type;
use crate::validator::assert_valid;

/// What a file must contain, known from its name.
#[derive(Debug)]
enum Example {
    Manifest,
    Request {
        method: &'static str,
        params: &'static str,
    },
    Response {
        result: &'static str,
    },
    Notification {
        method: &'static str,
        params: &'static str,
    },
    /// The answer to a call that begins a subscription: the id.
    Subscribed,
    /// The call that ends one: the id is its one parameter.
    Unsubscribe {
        method: &'static str,
    },
    /// The answer to that: whether there was one to end.
    Unsubscribed,
    Error,
}

/// `run/start` is `run-start` in a file name, `$/cancelRequest` is `cancel-request`.
fn expected(contract: &'static Contract) -> Vec<(String, Example)> {
    let mut expected = Vec::new();
    for method in contract.methods {
        let request = Example::Request { method: method.name, params: method.params };
        let name = file_name(method.name);
        expected.push((format!("{name}.request"), request));
        expected.push((format!("{name}.response"), Example::Response { result: method.result }));
    }
    for entry in contract.subscriptions {
        let request = Example::Request { method: entry.subscribe, params: entry.params };
        let (begin, end) = (file_name(entry.subscribe), file_name(entry.unsubscribe));
        expected.push((format!("{begin}.request"), request));
        expected.push((format!("{begin}.response"), Example::Subscribed));
        let request = Example::Unsubscribe { method: entry.unsubscribe };
        expected.push((format!("{end}.request"), request));
        expected.push((format!("{end}.response"), Example::Unsubscribed));
    }
    for row in (contract.own_errors)() {
        expected.push((format!("error.{}", row.kind), Example::Error));
    }
    for entry in contract.notifications.iter().filter(|entry| entry.params != "RunEventParams") {
        let notification = Example::Notification { method: entry.name, params: entry.params };
        expected.push((file_name(entry.name), notification));
    }
    if std::ptr::eq(contract, &ADAPTER) {
        expected.extend(expected_of_adapters());
    }
    expected
}

/// What only adapters send: the manifest, every type of event, an error of a vendor.
fn expected_of_adapters() -> Vec<(String, Example)> {
    let event = |name: &&str| {
        let notification = Example::Notification { method: RUN_EVENT, params: "RunEventParams" };
        (format!("event.{name}"), notification)
    };
    let others = [
        ("manifest".to_owned(), Example::Manifest),
        ("error._example.license_missing".to_owned(), Example::Error),
    ];
    Event::TYPES.iter().map(event).chain(others).collect()
}

fn file_name(method: &str) -> String {
    let words = method.trim_start_matches("$/").replace('/', "-");
    words.replace("cancelRequest", "cancel-request")
}

fn path(contract: &Contract, name: &str) -> String {
    contract.file(&format!("examples/{name}.json"))
}

fn read(contract: &Contract, name: &str) -> Value {
    let path = path(contract, name);
    serde_json::from_str(&committed::read(&path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The example as the types write it, after the schema had its say.
fn canonical(contract: &'static Contract, example: &Example, value: &Value) -> String {
    let part = |member: &str, name: &str| indented(&written(contract, name, &value[member]));
    let id = value["id"].to_string();
    match example {
        Example::Manifest => written(contract, "Manifest", value),
        Example::Request { method, params } => {
            assert_eq!(value["method"], *method);
            frame(&[("id", &id), ("method", &quoted(method)), ("params", &part("params", params))])
        }
        Example::Response { result } => frame(&[("id", &id), ("result", &part("result", result))]),
        Example::Notification { method, params } => {
            assert_eq!(value["method"], *method);
            frame(&[("method", &quoted(method)), ("params", &part("params", params))])
        }
        Example::Subscribed => {
            let subscription = value["result"].as_str().expect("the id of a subscription");
            frame(&[("id", &id), ("result", &quoted(subscription))])
        }
        Example::Unsubscribe { method } => {
            assert_eq!(value["method"], *method);
            let subscription = value["params"][0].as_str().expect("the id of a subscription");
            let params = format!("[\n    {}\n  ]", quoted(subscription));
            frame(&[("id", &id), ("method", &quoted(method)), ("params", &params)])
        }
        Example::Unsubscribed => {
            let ended = value["result"].as_bool().expect("whether it was there");
            frame(&[("id", &id), ("result", &ended.to_string())])
        }
        Example::Error => frame(&[("id", &id), ("error", &part("error", "ErrorObject"))]),
    }
}

fn written(contract: &'static Contract, name: &str, value: &Value) -> String {
    assert_valid(contract, name, value);
    let trip =
        (message_type(name).round_trip)(value).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(trip.equal, "{name} does not survive its own writing: {}", trip.text);
    trip.text
}

fn frame(members: &[(&str, &str)]) -> String {
    let members: String =
        members.iter().map(|(name, value)| format!(",\n  \"{name}\": {value}")).collect();
    format!("{{\n  \"jsonrpc\": \"2.0\"{members}\n}}")
}

fn indented(text: &str) -> String {
    text.replace('\n', "\n  ")
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// One test, because the checks read the files that the first may rewrite.
#[test]
fn examples_are_current() {
    for contract in CONTRACTS {
        every_message_has_an_example_and_no_other_file_is_there(contract);
        every_example_is_canonical(contract);
        an_error_is_what_its_name_says(contract);
        request_and_response_have_the_same_id(contract);
    }
    an_event_is_what_its_name_says();
    a_subscription_keeps_its_id();
}

fn every_example_is_canonical(contract: &'static Contract) {
    for (name, example) in expected(contract) {
        let text = canonical(contract, &example, &read(contract, &name));
        check(&path(contract, &name), &format!("{text}\n"));
    }
}

fn every_message_has_an_example_and_no_other_file_is_there(contract: &'static Contract) {
    let found: BTreeSet<String> = std::fs::read_dir(repository().join(contract.file("examples")))
        .expect("the folder can be read")
        .map(|entry| entry.expect("entry").file_name().into_string().expect("UTF-8"))
        .collect();
    let expected = expected(contract).into_iter().map(|(name, _)| format!("{name}.json")).collect();
    assert_eq!(found, expected);
}

fn an_error_is_what_its_name_says(contract: &Contract) {
    for row in (contract.own_errors)() {
        let error = &read(contract, &format!("error.{}", row.kind))["error"];
        assert_eq!((&error["data"]["kind"], &error["code"]), (&row.kind.into(), &row.code.into()));
    }
}

fn request_and_response_have_the_same_id(contract: &Contract) {
    let subscriptions =
        contract.subscriptions.iter().flat_map(|entry| [entry.subscribe, entry.unsubscribe]);
    for method in contract.methods.iter().map(|method| method.name).chain(subscriptions) {
        let name = file_name(method);
        let request = read(contract, &format!("{name}.request"));
        let response = read(contract, &format!("{name}.response"));
        assert_eq!(request["id"], response["id"], "{name}");
    }
}

fn an_event_is_what_its_name_says() {
    for event in Event::TYPES {
        let example = read(&ADAPTER, &format!("event.{event}"));
        assert_eq!(example["params"]["event"]["type"], *event);
    }
}

fn a_subscription_keeps_its_id() {
    let id = &read(&API, "runs-attach.response")["result"];
    assert_eq!(read(&API, "runs-event")["params"]["subscription"], *id);
    assert_eq!(read(&API, "runs-detach.request")["params"][0], *id);
}
