//! The output of the adapter: lines, responses, events.

use std::io::Write;

use od_protocol::ErrorObject;
use serde_json::{Value, json};

/// Writes one line.
pub(crate) fn line(text: &str) {
    bytes(format!("{text}\n").as_bytes());
}

/// Writes bytes unchanged. Exits when the host is gone.
pub(crate) fn bytes(bytes: &[u8]) {
    let mut stdout = std::io::stdout().lock();
    if stdout.write_all(bytes).and_then(|()| stdout.flush()).is_err() {
        std::process::exit(0);
    }
}

/// Answers a call.
pub(crate) fn answer(id: &Value, result: &Value) {
    line(&json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string());
}

/// Answers a call with an error.
pub(crate) fn refuse(id: &Value, error: &ErrorObject) {
    line(&json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string());
}

/// One event in the usual order of members.
pub(crate) fn event_line(run_id: &str, seq: u64, event: &Value) -> String {
    let kind = event["type"].as_str().unwrap_or_default();
    let mut rest = event.clone();
    rest.as_object_mut().expect("an event is an object").remove("type");
    let rest = rest.to_string();
    let comma = if rest == "{}" { "" } else { "," };
    format!(
        r#"{{"jsonrpc":"2.0","method":"run/event","params":{{"runId":"{run_id}","seq":{seq},"ts":{ts},"event":{{"type":"{kind}"{comma}{rest}}}}}"#,
        ts = 1_700_000_000_000_u64.saturating_add(seq),
        rest = &rest[1..],
    )
}

/// Never returns.
pub(crate) fn forever() -> ! {
    loop {
        std::thread::sleep(crate::SLEEP_TIME);
    }
}
