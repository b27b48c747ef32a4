//! The session in the specification is valid.

use std::collections::HashMap;

use od_protocol::adapter::{METHODS, RUN_EVENT};
use od_protocol::{Message, Method, RunEventParams};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::validator::assert_valid;
use xtask::contract::ADAPTER;
use xtask::specification;

/// The lines between the session's markers, with their direction.
fn session() -> Vec<(char, String)> {
    let text = specification::text();
    let (_, rest) = text.split_once("<!-- session -->").expect("the session has a marker");
    let (session, _) = rest.split_once("<!-- end -->").expect("the session has an end");
    let lines = session.lines().filter_map(|line| line.split_once(' '));
    lines.map(|(arrow, line)| (arrow.chars().next().expect("an arrow"), line.to_owned())).collect()
}

fn value(raw: &RawValue) -> Value {
    serde_json::from_str(raw.get()).expect("raw JSON is JSON")
}

fn method_named(name: &str) -> &'static Method {
    METHODS.iter().find(|method| method.name == name).expect("a method of the table")
}

#[test]
fn session_lines_are_valid() {
    let mut open: HashMap<String, &Method> = HashMap::new();
    for (arrow, line) in session() {
        match (arrow, Message::read(line.as_bytes()).expect("a message")) {
            ('→', Message::Request { id, method, params }) => {
                let method = method_named(&method);
                assert_valid(&ADAPTER, method.params, &value(params.expect("parameters")));
                open.insert(id.get().to_owned(), method);
            }
            ('←', Message::Response { id, outcome: Ok(result) }) => {
                let method = open.remove(id.get()).expect("an answer to an open request");
                assert_valid(&ADAPTER, method.result, &value(result));
            }
            ('←', Message::Notification { method, params }) => {
                assert_eq!(method, RUN_EVENT);
                assert_valid(&ADAPTER, "RunEventParams", &value(params.expect("parameters")));
            }
            (arrow, message) => panic!("unexpected {arrow}: {message:?}"),
        }
    }
    assert!(open.is_empty(), "unanswered: {open:?}");
}

#[test]
fn session_run_follows_stream_rules() {
    let events: Vec<RunEventParams> = session()
        .iter()
        .filter_map(|(_, line)| match Message::read(line.as_bytes()) {
            Ok(Message::Notification { params, .. }) => params.map(value),
            _ => None,
        })
        .map(|params| serde_json::from_value(params).expect("an event"))
        .collect();
    let types: Vec<&str> = events.iter().map(|params| params.event.type_name()).collect();
    assert_eq!((types[0], types[types.len() - 1]), ("run_started", "done"));
    assert_eq!(types.iter().filter(|name| **name == "done").count(), 1);
    for (index, params) in events.iter().enumerate() {
        assert_eq!(params.seq, index as u64);
    }
}
