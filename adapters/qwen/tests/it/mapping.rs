//! Cases without a recording: text that looks like an error, repeated requests, silence.

use od_adapter_qwen::events::Events;
use od_protocol::adapter::StartRunParams;
use od_sdk::testing::{Replay, replay, replay_with};
use od_sdk::{Exit, Mapper};
use serde_json::{Value, json};

fn events() -> Events {
    Events::new(&StartRunParams::default())
}

fn stream(event: Value) -> Value {
    json!({"type": "stream_event", "parent_tool_use_id": null, "event": event})
}

fn message_start(id: &str) -> Value {
    stream(json!({"type": "message_start", "message": {"id": id, "role": "assistant"}}))
}

fn block(block: Value) -> Value {
    stream(json!({"type": "content_block_start", "index": 0, "content_block": block}))
}

fn text(text: &str) -> Value {
    stream(json!({
        "type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text},
    }))
}

fn assistant(id: &str, content: Value, tokens: u64) -> Value {
    json!({
        "type": "assistant", "parent_tool_use_id": null,
        "message": {
            "id": id, "content": content,
            "usage": {"input_tokens": tokens, "output_tokens": tokens},
        },
    })
}

fn result() -> Value {
    json!({"type": "result", "subtype": "success", "is_error": false})
}

fn lines(lines: &[Value]) -> Vec<u8> {
    lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
}

fn replay_lines(all: &[Value]) -> Replay {
    replay(&mut events(), &lines(all), &Exit { code: Some(0), ..Exit::default() })
}

/// The text of all messages.
fn all_text(replay: &Replay) -> String {
    let deltas = replay.events.iter().filter(|event| event["type"] == "text_delta");
    deltas.filter_map(|event| event["text"].as_str()).collect()
}

fn last<'a>(replay: &'a Replay, kind: &str) -> Option<&'a Value> {
    replay.events.iter().rev().find(|event| event["type"] == kind)
}

const QUOTED: &str = "[API Error: 401 as an example]";

#[test]
fn error_text_with_tokens_is_text() {
    let content = json!([{"type": "text", "text": QUOTED}]);
    let replay = replay_lines(&[
        message_start("m"),
        block(json!({"type": "text", "text": ""})),
        text(QUOTED),
        assistant("m", content, 7),
        stream(json!({"type": "message_stop"})),
        result(),
    ]);
    assert_eq!(all_text(&replay), QUOTED);
    assert_eq!(last(&replay, "done").expect("a run ends")["status"], "completed");
}

#[test]
fn error_text_before_tool_call_is_text() {
    let call = json!({"type": "tool_use", "id": "t", "name": "glob", "input": {"pattern": "*"}});
    let replay = replay_lines(&[
        message_start("m"),
        block(json!({"type": "text", "text": ""})),
        text(QUOTED),
        assistant("m", json!([{"type": "text", "text": QUOTED}]), 0),
        block(call.clone()),
        assistant("n", json!([call]), 7),
        stream(json!({"type": "message_stop"})),
        result(),
    ]);
    assert_eq!(all_text(&replay), QUOTED);
    assert!(last(&replay, "error").is_none(), "{:?}", replay.events);
}

#[test]
fn repeated_request_discards_first_message() {
    let replay = replay_lines(&[
        message_start("m"),
        block(json!({"type": "text", "text": ""})),
        text("half a"),
        message_start("n"),
        block(json!({"type": "text", "text": ""})),
        text("half an answer"),
        assistant("n", json!([{"type": "text", "text": "half an answer"}]), 7),
        stream(json!({"type": "message_stop"})),
        result(),
    ]);
    let discarded = last(&replay, "message_discarded").expect("the first message is discarded");
    assert_eq!(discarded["messageId"], "m");
}

#[test]
fn failed_result_fails_run() {
    let failed = json!({
        "type": "result", "subtype": "error_during_execution", "is_error": true,
        "error": {"message": "No auth type is selected."},
    });
    let replay = replay_lines(&[failed]);
    assert_eq!(last(&replay, "error").expect("an error")["kind"], "auth_missing");
    assert_eq!(last(&replay, "done").expect("a run ends")["status"], "failed");
}

#[test]
fn silence_fails_run_as_rate_limited() {
    let init = json!({"type": "system", "subtype": "init", "session_id": "s"});
    let replay = replay_with(
        &mut events(),
        &lines(&[init]),
        &Exit::default(),
        |mapper: &mut dyn Mapper, output| mapper.on_silence(output),
    );
    let error = last(&replay, "error").expect("an error");
    assert_eq!(error["kind"], "rate_limited");
    assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("maxSilenceMs")), "{error}");
    let written = String::from_utf8(replay.stdin).expect("stdin is text");
    assert!(written.contains("interrupt"), "{written}");
}

#[test]
fn unknown_line_type_is_unmapped() {
    let replay =
        replay_lines(&[json!({"type": "from_the_future"}), json!({"no": "type"}), result()]);
    assert_eq!(
        last(&replay, "unmapped").expect("an unmapped event")["nativeType"],
        "from_the_future"
    );
}

#[test]
fn subagent_text_is_not_forwarded() {
    let inner = json!({
        "type": "assistant", "parent_tool_use_id": "t",
        "message": {"id": "i", "content": [{"type": "text", "text": "inner"}]},
    });
    assert_eq!(all_text(&replay_lines(&[inner, result()])), "");
}
