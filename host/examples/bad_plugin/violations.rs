//! Events that break the rules of the stream. Whatever it breaks, it goes on as if all were well.

use serde_json::json;

use crate::scenes::Scene;
use crate::wire::{bytes, event_line, line};

/// Says something, breaks the rule that the word names, and ends the run if that was not what it broke.
pub(crate) fn start(scene: &mut Scene, how: &str) {
    scene.say("before");
    let beat = json!({"type": "heartbeat", "silentMs": 1});
    match how {
        "repeat" => line(&event_line(&scene.run_id, 0, &beat)),
        "gap" => scene.seq += 7,
        "huge_number" => line(&event_line(&scene.run_id, u64::MAX, &beat)),
        "no_event" => line(r#"{"jsonrpc":"2.0","method":"run/event","params":{"seq":2}}"#),
        "cut" => line(r#"{"jsonrpc":"2.0","method":"run/event","params":{"runId":"#),
        "long_line" => long_line(scene),
        "stale_done" => scene.seq = 1,
        "bare_done" => return scene.emit(&json!({"type": "done"})),
        "bad_done" => return scene.emit(&json!({"type": "done", "status": 5})),
        other => panic!("nobody breaks the rule {other:?}"),
    }
    if how != "stale_done" {
        scene.say("after");
    }
    scene.done("completed");
}

/// One byte of payload more than 17 MiB, under the number of the next event, so that only the length tells.
fn long_line(scene: &Scene) {
    let event = json!({"type": "text_delta", "messageId": "m", "text": "$"});
    let event = event_line(&scene.run_id, scene.seq, &event);
    let (before, after) = event.split_once('$').expect("a place for the text");
    bytes(before.as_bytes());
    // Not as one text: with nothing but that to do it would take no ping for too long on a busy machine.
    for _ in 0..17 {
        bytes(&vec![b'x'; 1024 * 1024]);
    }
    line(after);
}
