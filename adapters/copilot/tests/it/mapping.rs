//! What no recording shows: limits on retries, the report of the tokens, the id of the session.

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

fn play(all: &[Value]) -> Replay {
    let mut events = Events::new(&StartRunParams::default());
    replay(&mut events, &lines(all), &Exit { code: Some(0), ..Exit::default() })
}

fn last<'a>(replay: &'a Replay, kind: &str) -> Option<&'a Value> {
    replay.events.iter().rev().find(|event| event["type"] == kind)
}

#[test]
fn a_rate_limit_that_goes_on_ends_the_run() {
    let failure = |attempt: u32| {
        line("model.call_failure", json!({"statusCode": 429, "retryAttempt": attempt}))
    };
    let retry = || line("assistant.turn_retry", json!({"reason": "rate_limit"}));
    let two = [failure(0), retry(), failure(1), retry()];
    let patient = play(&[&two[..], &[result()]].concat());
    assert_eq!(last(&patient, "done").expect("a run ends")["status"], "completed");
    let three = play(&[&two[..], &[failure(2), retry(), result()]].concat());
    assert_eq!(last(&three, "error").expect("it is told")["kind"], "rate_limited");
}

#[test]
fn a_message_that_is_made_again_is_said_once() {
    let text = |text: &str| {
        line("assistant.message_delta", json!({"messageId": "m", "deltaContent": text}))
    };
    let replay = play(&[
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
fn the_report_tells_the_tokens_even_after_the_last_line() {
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
    let usage = last(&replay, "usage").expect("the tokens are told");
    assert_eq!((&usage["inputTokens"], &usage["cacheReadTokens"]), (&json!(89), &json!(11)));
    assert_eq!((&usage["totalTokens"], &usage["costUsd"]), (&json!(123), &Value::Null));
}

#[test]
fn a_new_session_is_named_from_the_start() {
    let mut start_run_params = StartRunParams::default();
    start_run_params.prompt.text = "hello".to_owned();
    let install = Install::default();
    let invocation = Copilot.invocation(&start_run_params, &install).expect("nothing is wrong");
    let mut events = Events::new(&start_run_params);
    let mut is_told = false;
    let updated = line("session.tools_updated", json!({"model": "gpt"}));
    let replay = replay_with(
        &mut events,
        &lines(&[line("session.info", json!({})), updated, result()]),
        &Exit::default(),
        |mapper, output| {
            if !std::mem::replace(&mut is_told, true) {
                mapper.on_started(&invocation, output);
            }
        },
    );
    let named = last(&replay, "session_started").expect("it is told");
    let id = named["sessionId"].as_str().expect("an id");
    assert!(invocation.args.iter().any(|argument| argument.text == id), "{id}");
}

#[test]
fn what_nobody_knows_yet_is_counted() {
    let replay = play(&[line("from.the_future", json!({})), json!({"no": "type"}), result()]);
    assert_eq!(last(&replay, "unmapped").expect("it is told")["nativeType"], "from.the_future");
}
