//! Lines that are not messages, and unusual lines that are.

use std::time::Duration;

use od_protocol::ErrorKind;
use od_protocol::adapter::{CANCEL_RUN, PING};
use serde_json::Value;

use super::{ask_text, received, register};
use crate::adapter_client::{AdapterClient, Answer};
use crate::checks::expectations::still_answers;
use crate::context::CheckContext;
use crate::outcome::{CheckOutcome, shorten};

/// The timeout of the response to a line that is not a message.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(5);
/// The timeout of the response to a line of many mebibytes.
const LONG_LINE_TIMEOUT: Duration = Duration::from_secs(20);
/// The longest line, with its line end.
const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;
/// How many bytes of a long line are written at once.
const PIECE_BYTES: usize = 256 * 1024;
/// The pause between two bytes of a request, and a longer one in its middle.
const SHORT_PAUSE: Duration = Duration::from_millis(1);
const LONG_PAUSE: Duration = Duration::from_millis(600);
/// How deep the nested JSON is.
const NESTING_DEPTH: usize = 10_000;

/// JSON that is not a JSON-RPC 2.0 message.
const NOT_MESSAGES: &[&str] = &[
    r#"[{"jsonrpc":"2.0","id":"batch-1","method":"ping"},{"jsonrpc":"2.0","method":"_x/y"}]"#,
    "[]",
    "7",
    "\"ping\"",
    "null",
    "{}",
    r#"{"jsonrpc":"2.0","id":"no-method"}"#,
    r#"{"id":"no-version","method":"ping"}"#,
    r#"{"jsonrpc":"1.0","id":"old-version","method":"ping"}"#,
    r#"{"jsonrpc":2.0,"id":"number-version","method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":"number-method","method":7}"#,
    r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
];

pub(super) fn one_error_each(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    for line in NOT_MESSAGES {
        refused_line(&mut adapter, line.as_bytes(), &[ErrorKind::InvalidRequest])?;
    }
    for line in [&b"{\"jsonrpc\":\"2.0\",\xff\"id\":1}"[..], b"{\"jsonrpc\":\"2.0\"", b"]"] {
        refused_line(&mut adapter, line, &[ErrorKind::ParseError])?;
    }
    wrong_parameters(&mut adapter)?;
    invalid_character(&mut adapter)?;
    line_ends(&mut adapter)?;
    split_lines(&mut adapter)?;
    deep_nesting(&mut adapter)?;
    long_lines(&mut adapter)
}

/// Sends a line and expects exactly one error of these kinds with id null.
fn refused_line(adapter: &mut AdapterClient, line: &[u8], kinds: &[ErrorKind]) -> CheckOutcome {
    let before = adapter.inbox.others.len();
    adapter.send_raw(&[line, b"\n"].concat());
    let shown = shorten(&String::from_utf8_lossy(line), 200);
    null_id_error(adapter, before, kinds, RESPONSE_TIMEOUT, &shown)?;
    still_answers(adapter, &format!("ping after {shown}"))?;
    let extra = adapter.inbox.others.get(before + 1).map(|line| line.value.clone());
    let got = shorten(&extra.clone().unwrap_or_default().to_string(), 300);
    adapter.ensure(extra.is_none(), "exactly one response to one line", got, shown)
}

fn null_id_error(
    adapter: &mut AdapterClient,
    before: usize,
    kinds: &[ErrorKind],
    limit: Duration,
    sent: &str,
) -> CheckOutcome {
    let limit = adapter.limit(limit);
    adapter.pump(limit, |inbox| inbox.others.len() > before);
    let line = adapter.inbox.others.get(before).map(|line| line.value.clone());
    let is_right = line.as_ref().is_some_and(|line| {
        let has_code = kinds.iter().any(|kind| line["error"]["code"] == kind.code());
        line.get("id") == Some(&Value::Null) && has_code
    });
    let got = received(adapter, line.as_ref());
    let kinds = kinds.iter().map(ErrorKind::to_string).collect::<Vec<_>>().join(" or ");
    let expected = format!("an error of kind {kinds} with id null");
    adapter.ensure(is_right, expected, got, sent)
}

/// Parameters that are not an object. A reader that checks messages before it looks at their ids may
/// refuse those that JSON-RPC does not know.
fn wrong_parameters(adapter: &mut AdapterClient) -> CheckOutcome {
    for (number, params) in ["[]", "[\"run\"]", "7", "\"run\"", "true"].into_iter().enumerate() {
        let id = format!("\"wrong-params-{number}\"");
        let message =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"run/cancel","params":{params}}}"#);
        let before = adapter.inbox.others.len();
        let key = ask_text(adapter, &id, CANCEL_RUN.name, &message);
        let limit = adapter.limit(RESPONSE_TIMEOUT);
        let has_response = |inbox: &crate::adapter_client::Inbox| {
            inbox.answers.contains_key(&key) || inbox.others.len() > before
        };
        adapter.pump(limit, has_response);
        let answer = adapter.inbox.answers.get(&key).map(|line| line.value.clone());
        let other = adapter.inbox.others.get(before).map(|line| line.value.clone());
        let is_refused = |line: &Option<Value>, kind: ErrorKind| {
            line.as_ref().is_some_and(|line| line["error"]["code"] == kind.code())
        };
        let is_right = is_refused(&answer, ErrorKind::InvalidParams)
            || !params.starts_with('[')
                && (is_refused(&answer, ErrorKind::InvalidRequest)
                    || is_refused(&other, ErrorKind::InvalidRequest));
        let got = received(adapter, answer.or(other).as_ref());
        adapter.ensure(is_right, "the error -32602 (invalid_params)", got, &message)?;
        still_answers(adapter, &format!("ping after {message}"))?;
    }
    Ok(())
}

/// A text that is not valid UTF-8: the reader may refuse the line or replace the character.
fn invalid_character(adapter: &mut AdapterClient) -> CheckOutcome {
    let (head, tail) =
        (r#"{"jsonrpc":"2.0","id":"invalid","method":"ping","params":{"x":""#, "\"}}\n");
    any_response(adapter, "\"invalid\"", &[head.as_bytes(), b"\xc3\x28\xff", tail.as_bytes()])
}

/// JSON that is deeper than most parsers accept: the reader may refuse the line or answer it.
fn deep_nesting(adapter: &mut AdapterClient) -> CheckOutcome {
    let (open, close) = ("[".repeat(NESTING_DEPTH), "]".repeat(NESTING_DEPTH));
    let head = r#"{"jsonrpc":"2.0","id":"deep","method":"ping","params":{"x":"#;
    let parts = [head, &open, &close, "}}\n"].map(str::as_bytes);
    any_response(adapter, "\"deep\"", &parts)?;
    // A reader may see at the first byte that it is not a message, or only at its end that it is not
    // JSON.
    let kinds = [ErrorKind::ParseError, ErrorKind::InvalidRequest];
    refused_line(adapter, open.as_bytes(), &kinds)
}

/// Sends a line whose response has its id or id null.
fn any_response(adapter: &mut AdapterClient, raw_id: &str, line: &[&[u8]]) -> CheckOutcome {
    let before = adapter.inbox.others.len();
    let key = register(adapter, raw_id, PING.name);
    let line = line.concat();
    adapter.send_raw(&line);
    let shown = shorten(&String::from_utf8_lossy(&line), 200);
    let limit = adapter.limit(RESPONSE_TIMEOUT);
    let has_response = adapter
        .pump(limit, |inbox| inbox.answers.contains_key(&key) || inbox.others.len() > before);
    let got = adapter.describe_silence();
    adapter.ensure(has_response, "a response, which may be an error", got, &shown)?;
    still_answers(adapter, &format!("ping after {shown}"))
}

/// CR LF, blank lines, and characters that some readers take for line ends.
fn line_ends(adapter: &mut AdapterClient) -> CheckOutcome {
    adapter.send_raw(b"\n\r\n  \n");
    let lines = [
        ("\"crlf\"", "{}", "\r\n"),
        ("\"sep\u{2028}\u{2029}\u{85}arator\"", "{}", "\n"),
        ("\"member\"", "{\"ofTomorrow\":\"a\u{2028}b\u{85}c\u{feff}d\"}", "\n"),
    ];
    for (id, params, end) in lines {
        let text =
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\",\"params\":{params}}}");
        let key = register(adapter, id, PING.name);
        adapter.send_raw(format!("{text}{end}").as_bytes());
        answered(adapter, &key, RESPONSE_TIMEOUT, &format!("{text:?} with the line end {end:?}"))?;
    }
    Ok(())
}

/// Requests that arrive in several reads, and several requests in one.
fn split_lines(adapter: &mut AdapterClient) -> CheckOutcome {
    let ping = |id: &str| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n");
    let key = register(adapter, "\"bytes\"", PING.name);
    adapter.send_in_pieces(ping("\"bytes\"").as_bytes(), 1, SHORT_PAUSE);
    answered(adapter, &key, RESPONSE_TIMEOUT, "ping, one byte at a time")?;

    let key = register(adapter, "\"paused\"", PING.name);
    adapter.send_in_pieces(ping("\"paused\"").as_bytes(), 30, LONG_PAUSE);
    answered(adapter, &key, RESPONSE_TIMEOUT, &format!("ping with a pause of {LONG_PAUSE:?}"))?;

    let ids = ["\"one\"", "\"two\"", "\"three\""];
    let keys = ids.map(|id| register(adapter, id, PING.name));
    let lines = ids.map(ping).concat();
    // The first write contains two requests and the start of the third.
    let first = lines.len() - ping(ids[2]).len() / 2;
    adapter.send_in_pieces(lines.as_bytes(), first, LONG_PAUSE);
    for key in keys {
        answered(adapter, &key, RESPONSE_TIMEOUT, "two and a half requests in one write")?;
    }
    Ok(())
}

/// A line of exactly 16 MiB is read; a longer one is discarded up to its end.
fn long_lines(adapter: &mut AdapterClient) -> CheckOutcome {
    let key = register(adapter, "\"longest\"", PING.name);
    adapter.send_in_pieces(
        &padded_ping("\"longest\"", MAX_LINE_BYTES),
        PIECE_BYTES,
        Duration::ZERO,
    );
    answered(adapter, &key, LONG_LINE_TIMEOUT, "ping in a line of exactly 16 MiB")?;

    let before = adapter.inbox.others.len();
    let line = padded_ping("\"too-long\"", MAX_LINE_BYTES + (1 << 20));
    adapter.send_in_pieces(&line, PIECE_BYTES, Duration::ZERO);
    let sent = "ping in a line of 17 MiB";
    null_id_error(adapter, before, &[ErrorKind::ParseError], LONG_LINE_TIMEOUT, sent)?;
    still_answers(adapter, "ping after a line of 17 MiB")
}

fn padded_ping(id: &str, bytes: usize) -> Vec<u8> {
    let head =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\",\"params\":{{\"x\":\"");
    let tail = "\"}}\n";
    let padding = "x".repeat(bytes.saturating_sub(head.len() + tail.len()));
    [head, padding, tail.to_owned()].concat().into_bytes()
}

fn answered(adapter: &mut AdapterClient, key: &str, limit: Duration, sent: &str) -> CheckOutcome {
    let answer = match adapter.answer(key, limit) {
        Ok(answer) => answer,
        Err(finding) => return Err(finding.map_failure(|failure| failure.sent(sent).into())),
    };
    let is_result = matches!(answer, Answer::Result(_));
    adapter.ensure(is_result, "the result {}", answer.summary(), sent)
}
