//! `examples/*.json`: one message per file, exactly as the types serialize it (but indented).
//! The committed files are the source; generation only brings them into the canonical form.

use od_protocol::Event;
use od_protocol::adapter::RUN_EVENT;
use serde_json::Value;

use crate::contract::{ADAPTER, Contract};
use crate::files::{self, GeneratedFile};
use crate::message_types::message_type;

/// The content of a file, which follows from its name.
#[derive(Debug)]
pub enum Example {
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
    /// The response that starts a subscription: its id.
    Subscribed,
    /// The call that ends a subscription: its id is the only parameter.
    Unsubscribe {
        method: &'static str,
    },
    /// The response to that call: whether a subscription was ended.
    Unsubscribed,
    Error,
}

/// The canonical form of every example of a contract.
pub fn files(contract: &'static Contract) -> Vec<GeneratedFile> {
    let file = |(name, example): (String, Example)| {
        let text = canonical(contract, &example, &read(contract, &name));
        GeneratedFile::new(path(contract, &name), format!("{text}\n"))
    };
    expected(contract).into_iter().map(file).collect()
}

/// The names of all examples of a contract, and what each file must contain. `run/start` is `run-start` in a file name,
/// `$/cancelRequest` is `cancel-request`.
pub fn expected(contract: &'static Contract) -> Vec<(String, Example)> {
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

/// Examples that only adapters send: the manifest, every event type, an error of a vendor.
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

pub fn file_name(method: &str) -> String {
    let values = method.trim_start_matches("$/").replace('/', "-");
    values.replace("cancelRequest", "cancel-request")
}

fn path(contract: &Contract, name: &str) -> String {
    contract.file(&format!("examples/{name}.json"))
}

pub fn read(contract: &Contract, name: &str) -> Value {
    let path = path(contract, name);
    serde_json::from_str(&files::read(&path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The example as the types serialize it.
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
    let trip = (message_type(contract, name).round_trip)(value)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(trip.equal, "{name} changes when it is read again: {}", trip.text);
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
