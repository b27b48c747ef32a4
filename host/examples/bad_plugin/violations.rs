//! Events that violate the stream rules. After the violation the run continues normally.

use serde_json::json;

use crate::run::Run;
use crate::wire::{bytes, event_line, line};

/// Emits text, violates the named rule, and ends the run unless `done` was the violation.
pub(crate) fn start(run: &mut Run, how: &str) {
    run.say("before");
    let heartbeat = json!({"type": "heartbeat", "silentMs": 1});
    match how {
        "repeat" => line(&event_line(&run.run_id, 0, &heartbeat)),
        "gap" => run.seq += 7,
        "huge_number" => line(&event_line(&run.run_id, u64::MAX, &heartbeat)),
        "no_event" => line(r#"{"jsonrpc":"2.0","method":"run/event","params":{"seq":2}}"#),
        "cut" => line(r#"{"jsonrpc":"2.0","method":"run/event","params":{"runId":"#),
        "long_line" => long_line(run),
        "stale_done" => run.seq = 1,
        "bare_done" => return run.emit(&json!({"type": "done"})),
        "bad_done" => return run.emit(&json!({"type": "done", "status": 5})),
        other => panic!("unknown violation {other:?}"),
    }
    if how != "stale_done" {
        run.say("after");
    }
    run.done("completed");
}

/// An event with the right number whose only fault is its length of over 17 MiB.
fn long_line(run: &Run) {
    let event = json!({"type": "text_delta", "messageId": "m", "text": "$"});
    let event = event_line(&run.run_id, run.seq, &event);
    let (before, after) = event.split_once('$').expect("a place for the text");
    bytes(before.as_bytes());
    // Written in parts, so that the adapter answers a ping in time on a busy machine.
    for _ in 0..17 {
        bytes(&vec![b'x'; 1024 * 1024]);
    }
    line(after);
}
