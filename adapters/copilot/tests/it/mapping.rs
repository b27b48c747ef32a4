//! Cases without a recording: limits on retries, the usage report, the session id.

use od_adapter_copilot::Copilot;
use od_adapter_copilot::events::Events;
use od_protocol::adapter::StartRunParams;
use od_sdk::testing::{Replay, replay, replay_with};
use od_sdk::{Adapter, Exit, Install, Mapper};
use serde_json::{Value, json};

fn line(kind: &str, data: Value) -> Value {
    json!({"type": kind, "data": data, "ephemeral": true})
}

fn result() -> Value {
    json!({"type": "result", "sessionId": "s", "exitCode": 0})
}

fn lines(lines: &[Value]) -> Vec<u8> {
    lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
}

fn replay_lines(all: &[Value]) -> Replay {
    let mut events = Events::new(&StartRunParams::default());
    replay(&mut events, &lines(all), &Exit { code: Some(0), ..Exit::default() })
}

fn last<'a>(replay: &'a Replay, kind: &str) -> Option<&'a Value> {
    replay.events.iter().rev().find(|event| event["type"] == kind)
}

#[test]
fn rate_limit_beyond_max_retries_fails_run() {
    let failure = |attempt: u32| {
        line("model.call_failure", json!({"statusCode": 429, "retryAttempt": attempt}))
    };
    let retry = || line("assistant.turn_retry", json!({"reason": "rate_limit"}));
    let two = [failure(0), retry(), failure(1), retry()];
    let within_limit = replay_lines(&[&two[..], &[result()]].concat());
    assert_eq!(last(&within_limit, "done").expect("a run ends")["status"], "completed");
    let three = replay_lines(&[&two[..], &[failure(2), retry(), result()]].concat());
    assert_eq!(last(&three, "error").expect("an event")["kind"], "rate_limited");
}

#[test]
fn repeated_message_counts_once() {
    let text = |text: &str| {
        line("assistant.message_delta", json!({"messageId": "m", "deltaContent": text}))
    };
    let replay = replay_lines(&[
        text("half a"),
        line("assistant.turn_retry", json!({"reason": "streaming_error"})),
        text("half an answer"),
        line("assistant.message", json!({"messageId": "m", "content": "half an answer"})),
        result(),
    ]);
    let kinds: Vec<&str> =
        replay.events.iter().filter_map(|event| event["type"].as_str()).collect();
    assert!(kinds.contains(&"message_discarded"), "{kinds:?}");
    assert_eq!(last(&replay, "done").expect("a run ends")["totals"]["textBytes"], 14);
}

#[test]
fn report_after_last_line_emits_usage() {
    let report = json!({
        "modelMetrics": {"gpt": {"usage": {
            "inputTokens": 100, "outputTokens": 23, "cacheReadTokens": 11, "reasoningTokens": 5,
        }}},
        "lastCallInputTokens": 100, "lastCallOutputTokens": 23,
    });
    let mut events = Events::new(&StartRunParams::default());
    let replay = replay_with(
        &mut events,
        &lines(&[result()]),
        &Exit::default(),
        |mapper: &mut dyn Mapper, output| mapper.on_report(report.to_string().as_bytes(), output),
    );
    let usage = last(&replay, "usage").expect("a usage event");
    assert_eq!((&usage["inputTokens"], &usage["cacheReadTokens"]), (&json!(89), &json!(11)));
    assert_eq!((&usage["totalTokens"], &usage["costUsd"]), (&json!(123), &Value::Null));
}

#[test]
fn new_session_has_id_from_invocation() {
    let mut start_run_params = StartRunParams::default();
    start_run_params.prompt.text = "hello".to_owned();
    let install = Install::default();
    let invocation = Copilot.invocation(&start_run_params, &install).expect("a valid invocation");
    let mut events = Events::new(&start_run_params);
    let mut is_done = false;
    let updated = line("session.tools_updated", json!({"model": "gpt"}));
    let replay = replay_with(
        &mut events,
        &lines(&[line("session.info", json!({})), updated, result()]),
        &Exit::default(),
        |mapper, output| {
            if !std::mem::replace(&mut is_done, true) {
                mapper.on_started(&invocation, output);
            }
        },
    );
    let named = last(&replay, "session_started").expect("an event");
    let id = named["sessionId"].as_str().expect("an id");
    assert!(invocation.args.iter().any(|argument| argument.text == id), "{id}");
}

#[test]
fn unknown_line_type_is_unmapped() {
    let replay =
        replay_lines(&[line("from.the_future", json!({})), json!({"no": "type"}), result()]);
    assert_eq!(last(&replay, "unmapped").expect("an event")["nativeType"], "from.the_future");
}
