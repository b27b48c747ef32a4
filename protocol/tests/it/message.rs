//! The codec: every shape of a message, and no line that panics.

use od_protocol::{ErrorKind, ErrorObject, Message, RequestId, RunEventParams};
use proptest::prelude::*;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::repository_folder;

/// The line in one short text, or the kind of the error: the only caller of the reader.
fn read(line: &[u8]) -> String {
    match Message::read(line) {
        Ok(Message::Request { id, method, params }) => {
            format!("request {} {method} {}", id.get(), params.map_or("-", |params| params.get()))
        }
        Ok(Message::Notification { method, params }) => {
            format!("notification {method} {}", params.map_or("-", |params| params.get()))
        }
        Ok(Message::Response { id, outcome: Ok(result) }) => {
            format!("result {} {}", id.get(), result.get())
        }
        Ok(Message::Response { id, outcome: Err(error) }) => {
            format!("error {} {}", id.get(), error.get())
        }
        Err(error) => error.kind().to_string(),
    }
}

#[track_caller]
fn check(line: &str, expected: &str) {
    assert_eq!(read(line.as_bytes()), expected, "{line}");
}

#[test]
fn request_keeps_its_id_exactly() {
    check(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}"#, "request 1 ping {}");
    check(r#"{"jsonrpc":"2.0","id":"a b","method":"ping"}"#, r#"request "a b" ping -"#);
    check(r#"{"jsonrpc":"2.0","id":-1.50,"method":"ping"}"#, "request -1.50 ping -");
    check(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "request null ping -");
    check(
        r#"{"method":"\u0070ing","id":9007199254740993,"jsonrpc":"2.0"}"#,
        "request 9007199254740993 ping -",
    );
}

#[test]
fn notification_has_no_id() {
    check(
        r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#,
        r#"notification $/cancelRequest {"id":1}"#,
    );
    check(r#"{"jsonrpc":"2.0","method":"_x/y"}"#, "notification _x/y -");
}

#[test]
fn response_may_carry_null() {
    check(r#"{"jsonrpc":"2.0","id":6,"result":null}"#, "result 6 null");
    check(r#"{"jsonrpc":"2.0","id":6,"result":{}}"#, "result 6 {}");
    check(r#"{"jsonrpc":"2.0","id":null,"error":{"code":1}}"#, r#"error null {"code":1}"#);
}

#[test]
fn unknown_members_are_ignored() {
    check(r#"{"jsonrpc":"2.0","id":1,"method":"ping","later":[1]}"#, "request 1 ping -");
}

#[test]
fn invalid_json_is_parse_error() {
    for line in ["", " ", "hello", "{", r#"{"jsonrpc":"2.0""#, "\u{feff}{}", "{}{}", "nul"] {
        check(line, "parse_error");
    }
    assert_eq!(read(b"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}"), "parse_error");
}

#[test]
fn other_json_is_invalid_request() {
    for line in [
        "{}",
        "null",
        "1",
        r#""text""#,
        "[]",
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
        r#"{"id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
        r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":1}"#,
    ] {
        check(line, "invalid_request");
    }
}

#[test]
fn deep_line_does_not_crash() {
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let line = format!(r#"{{"jsonrpc":"2.0","method":"x","params":{deep}}}"#);
    let outcome = read(line.as_bytes());
    assert!(outcome == "parse_error" || outcome.starts_with("notification x [["), "{outcome:.80}");
}

fn example_lines() -> Vec<Vec<u8>> {
    let folder = repository_folder("schemas/v1/examples");
    let entries = std::fs::read_dir(folder).expect("the folder of examples");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("entry").path()).collect();
    files.sort();
    let line = |file| {
        let text = std::fs::read_to_string(file).expect("an example is text");
        let value: Value = serde_json::from_str(&text).expect("an example is JSON");
        value.to_string().into_bytes()
    };
    files.into_iter().map(line).collect()
}

/// A change to a valid line.
#[derive(Debug, Clone)]
enum Damage {
    Replace(u8),
    Insert(u8),
    Remove,
    CutHere,
    Repeat,
}

fn damages() -> impl Strategy<Value = Damage> {
    let byte = || prop_oneof![any::<u8>(), proptest::sample::select(b"{}[]\":,\\0-nte\n".to_vec())];
    prop_oneof![
        byte().prop_map(Damage::Replace),
        byte().prop_map(Damage::Insert),
        Just(Damage::Remove),
        Just(Damage::CutHere),
        Just(Damage::Repeat),
    ]
}

fn damaged(mut line: Vec<u8>, damages: &[(proptest::sample::Index, Damage)]) -> Vec<u8> {
    for (index, damage) in damages {
        if line.is_empty() {
            break;
        }
        let at = index.index(line.len());
        match damage {
            Damage::Replace(byte) => line[at] = *byte,
            Damage::Insert(byte) => line.insert(at, *byte),
            Damage::Remove => drop(line.remove(at)),
            Damage::CutHere => line.truncate(at),
            Damage::Repeat => line.extend_from_within(at..),
        }
    }
    line
}

/// The reader returns a message whose parts come from the line, or one of two errors.
fn survives(line: &[u8]) -> Result<(), TestCaseError> {
    match Message::read(line) {
        Ok(Message::Request { id, .. } | Message::Response { id, .. }) => {
            let id = id.get().as_bytes();
            prop_assert!(line.windows(id.len()).any(|window| window == id));
        }
        Ok(Message::Notification { params: Some(params), .. }) => {
            // The parameters are an event, or parsing fails with a message.
            if let Err(error) = serde_json::from_str::<RunEventParams>(params.get()) {
                prop_assert!(!error.to_string().is_empty());
            }
        }
        Ok(Message::Notification { params: None, .. }) => {}
        Err(error) => {
            prop_assert!(matches!(error.kind(), ErrorKind::ParseError | ErrorKind::InvalidRequest));
            prop_assert!(!error.message.is_empty());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_do_not_panic(line in proptest::collection::vec(any::<u8>(), 0..256)) {
        survives(&line)?;
    }

    #[test]
    fn damaged_messages_do_not_panic(
        line in proptest::sample::select(example_lines()),
        damages in proptest::collection::vec((any::<proptest::sample::Index>(), damages()), 1..6),
    ) {
        survives(&damaged(line, &damages))?;
    }
}

#[test]
fn written_messages_read_back_unchanged() {
    let raw = RawValue::from_string(r#"{"b":1.50,"a":null}"#.to_owned()).expect("it is JSON");
    let error = ErrorObject { data: None, ..ErrorObject::new(ErrorKind::Internal, "a \"b\"") };
    let mut lines = Vec::new();
    let id = RequestId::from("x\ny");
    Message::write_request(&mut lines, &RequestId::from(7), "m\"1", &raw).expect("it is written");
    Message::write_notification(&mut lines, "$/n", &[1, 2]).expect("it is written");
    Message::write_result(&mut lines, &id, &raw).expect("it is written");
    Message::write_error(&mut lines, &RequestId::NULL, &error).expect("it is written");
    let text = String::from_utf8(lines).expect("JSON is UTF-8");
    let found: Vec<String> = text.lines().map(|line| read(line.as_bytes())).collect();
    let expected = [
        r#"request 7 m"1 {"b":1.50,"a":null}"#,
        "notification $/n [1,2]",
        r#"result "x\ny" {"b":1.50,"a":null}"#,
        r#"error null {"code":-32603,"message":"a \"b\""}"#,
    ];
    assert_eq!(found, expected);
}

#[test]
fn failed_write_leaves_lines_unchanged() {
    let keys_are_not_text = std::collections::BTreeMap::from([((1, 2), 3)]);
    let mut lines = b"before\n".to_vec();
    let written = Message::write_notification(&mut lines, "x", &keys_are_not_text);
    assert!(written.is_err());
    assert_eq!(lines, b"before\n");
}
