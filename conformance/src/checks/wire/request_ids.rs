//! The ids of requests, which responses repeat.

use std::time::Duration;

use od_protocol::adapter::PING;
use serde_json::Value;

use super::{ask_text, received, register};
use crate::adapter_client::AdapterClient;
use crate::context::CheckContext;
use crate::outcome::{CheckOutcome, shorten};

/// The timeout of each response.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(5);
/// The length of a long id.
const LONG_ID_CHARS: usize = 10_000;
/// How many requests are open at once.
const OPEN_REQUESTS: usize = 30;

pub(super) fn repeated_exactly(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    let long = format!("\"{}\"", context.nonce().repeat(LONG_ID_CHARS / 10));
    let ids = [
        "\"\"",
        "\"0\"",
        "0",
        "-7",
        "9007199254740991",
        "-9007199254740991",
        "\"größer 漢字 🦜\"",
        r#""\u0041\/\"\\\n\u2028""#,
        "\" leading and trailing \"",
        "\"null\"",
        &long,
    ];
    for id in ids {
        repeated(&mut adapter, id)?;
    }
    // An id may be used again after its response.
    for id in ["\"0\"", "0", "1"] {
        repeated(&mut adapter, id)?;
        adapter.inbox.answers.clear();
        repeated(&mut adapter, id)?;
    }
    open_at_once(context, &mut adapter)
}

fn repeated(adapter: &mut AdapterClient, raw_id: &str) -> CheckOutcome {
    adapter.inbox.answers.clear();
    let before = adapter.inbox.others.len();
    let message = format!(r#"{{"jsonrpc":"2.0","id":{raw_id},"method":"ping","params":{{}}}}"#);
    let key = ask_text(adapter, raw_id, PING.name, &message);
    same_id(adapter, &key, raw_id, before)
}

fn same_id(adapter: &mut AdapterClient, key: &str, raw_id: &str, before: usize) -> CheckOutcome {
    let limit = adapter.limit(RESPONSE_TIMEOUT);
    adapter.pump(limit, |inbox| inbox.answers.contains_key(key) || inbox.others.len() > before);
    let line = adapter.inbox.answers.get(key).cloned();
    let is_text = raw_id.starts_with('"');
    let is_same = line.as_ref().is_some_and(|line| is_text || line.raw_id == raw_id);
    let other = adapter.inbox.others.get(before).map(|line| line.value.clone());
    let got = match &line {
        Some(line) => format!("a response with the id {}", line.raw_id),
        None => received(adapter, other.as_ref()),
    };
    let shown = shorten(raw_id, 100);
    adapter.ensure(
        is_same,
        format!("a response with the id {shown}"),
        got,
        format!("ping, id {shown}"),
    )
}

/// Many requests in one write, with texts and numbers that look the same.
fn open_at_once(context: &mut CheckContext, adapter: &mut AdapterClient) -> CheckOutcome {
    adapter.inbox.answers.clear();
    let nonce = context.nonce();
    let ids: Vec<String> = (0..OPEN_REQUESTS)
        .map(|number| match number % 3 {
            0 => format!("{}", 5000 + number / 3),
            1 => format!("\"{}\"", 5000 + number / 3),
            _ => Value::from(format!("{nonce}-{number}")).to_string(),
        })
        .collect();
    let methods = ["ping", "adapter/health", "ping"];
    let mut lines = String::new();
    let mut keys = Vec::new();
    for (id, method) in ids.iter().zip(methods.iter().cycle()) {
        lines.push_str(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\"}}\n"));
        keys.push(register(adapter, id, method));
    }
    let before = adapter.inbox.others.len();
    adapter.send_raw(lines.as_bytes());
    for (key, id) in keys.iter().zip(&ids) {
        same_id(adapter, key, id, before)?;
    }
    Ok(())
}
