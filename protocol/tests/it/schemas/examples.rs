//! `examples/*.json`: one message a file, exactly as the types write it (but indented).
//! The committed files are the source; `UPDATE_EXPECT=1` only brings them into the canonical form.

use std::collections::BTreeSet;

use od_protocol::{CANCEL_REQUEST, ErrorKind, Event, METHODS, RUN_EVENT};
use serde_json::Value;

use super::committed::{check, repository};
use crate::messages::message_type;
use crate::validator::assert_valid;

const FOLDER: &str = "schemas/v1/examples";

/// What a file must contain, known from its name.
#[derive(Debug)]
enum Example {
    Manifest,
    Request { method: &'static str, params: &'static str },
    Response { result: &'static str },
    Notification { method: &'static str, params: &'static str },
    Error,
}

/// `run/start` is `run-start` in a file name.
fn expected() -> Vec<(String, Example)> {
    let mut expected = vec![
        ("manifest".to_owned(), Example::Manifest),
        (
            "cancel-request".to_owned(),
            Example::Notification { method: CANCEL_REQUEST, params: "CancelRequestParams" },
        ),
    ];
    for method in METHODS {
        let name = method.name.replace('/', "-");
        let request = Example::Request { method: method.name, params: method.params };
        expected.push((format!("{name}.request"), request));
        expected.push((format!("{name}.response"), Example::Response { result: method.result }));
    }
    for event in Event::TYPES {
        let notification = Example::Notification { method: RUN_EVENT, params: "RunEventParams" };
        expected.push((format!("event.{event}"), notification));
    }
    for kind in ErrorKind::KNOWN {
        expected.push((format!("error.{kind}"), Example::Error));
    }
    expected.push(("error._example.license_missing".to_owned(), Example::Error));
    expected
}

fn read(name: &str) -> Value {
    let file = repository().join(FOLDER).join(format!("{name}.json"));
    let text = std::fs::read_to_string(&file)
        .unwrap_or_else(|error| panic!("{FOLDER}/{name}.json: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{FOLDER}/{name}.json: {error}"))
}

/// The example as the types write it, after the schema had its say.
fn canonical(example: &Example, value: &Value) -> String {
    match example {
        Example::Manifest => written("Manifest", value),
        Example::Request { method, params } => {
            assert_eq!(value["method"], *method);
            let params = indented(&written(params, &value["params"]));
            frame(&[
                ("id", &value["id"].to_string()),
                ("method", &quoted(method)),
                ("params", &params),
            ])
        }
        Example::Response { result } => {
            let result = indented(&written(result, &value["result"]));
            frame(&[("id", &value["id"].to_string()), ("result", &result)])
        }
        Example::Notification { method, params } => {
            assert_eq!(value["method"], *method);
            let params = indented(&written(params, &value["params"]));
            frame(&[("method", &quoted(method)), ("params", &params)])
        }
        Example::Error => {
            let error = indented(&written("ErrorObject", &value["error"]));
            frame(&[("id", &value["id"].to_string()), ("error", &error)])
        }
    }
}

fn written(name: &str, value: &Value) -> String {
    assert_valid(name, value);
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
    every_message_has_an_example_and_no_other_file_is_there();
    every_example_is_canonical();
    an_example_is_what_its_name_says();
    request_and_response_have_the_same_id();
}

fn every_example_is_canonical() {
    for (name, example) in expected() {
        let text = canonical(&example, &read(&name));
        check(&format!("{FOLDER}/{name}.json"), &format!("{text}\n"));
    }
}

fn every_message_has_an_example_and_no_other_file_is_there() {
    let found: BTreeSet<String> = std::fs::read_dir(repository().join(FOLDER))
        .expect("the folder can be read")
        .map(|entry| entry.expect("entry").file_name().into_string().expect("UTF-8"))
        .collect();
    let expected = expected().into_iter().map(|(name, _)| format!("{name}.json")).collect();
    assert_eq!(found, expected);
}

fn an_example_is_what_its_name_says() {
    for event in Event::TYPES {
        assert_eq!(read(&format!("event.{event}"))["params"]["event"]["type"], *event);
    }
    for kind in ErrorKind::KNOWN {
        let error = &read(&format!("error.{kind}"))["error"];
        assert_eq!(
            (&error["data"]["kind"], &error["code"]),
            (&kind.as_str().into(), &kind.code().into())
        );
    }
}

fn request_and_response_have_the_same_id() {
    for method in METHODS {
        let name = method.name.replace('/', "-");
        let (request, response) =
            (read(&format!("{name}.request")), read(&format!("{name}.response")));
        assert_eq!(request["id"], response["id"], "{name}");
    }
}
