//! Lines without a recording: images, compaction, damaged lines, ends in the wrong order.

use std::fs;
use std::path::Path;

use od_protocol::InputOutcome;
use od_protocol::adapter::StartRunParams;
use od_sdk::testing::{Replay, replay, replay_with};
use od_sdk::{Exit, Install, Mapper, UserInput};
use pi_family::PiEvents;
use pi_family::pi::dialect::DIALECT;
use serde_json::{Value, json};

const START: &str = r#"{"type":"agent_start"}"#;
const END: &str = r#"{"type":"agent_end","willRetry":false}"#;
const SETTLED: &str = r#"{"type":"agent_settled"}"#;

fn events() -> PiEvents {
    let start_run_params = StartRunParams { cwd: "/workspace".to_owned(), ..Default::default() };
    PiEvents::new(DIALECT, &start_run_params, &Install::default())
}

fn exit() -> Exit {
    Exit { code: Some(0), ..Exit::default() }
}

fn feed(lines: &[&str]) -> Replay {
    replay(&mut events(), lines.join("\n").as_bytes(), &exit())
}

fn of_type<'a>(replay: &'a Replay, name: &str) -> Vec<&'a Value> {
    replay.events.iter().filter(|event| event["type"] == name).collect()
}

/// An answer with this stop reason.
fn answer(stop_reason: &str, more: &Value) -> String {
    let mut message = json!({"role": "assistant", "stopReason": stop_reason, "content": []});
    for (name, value) in more.as_object().into_iter().flatten() {
        message[name] = value.clone();
    }
    json!({"type": "message_end", "message": message}).to_string()
}

fn kind_of(error_message: &str) -> String {
    let failed = answer("error", &json!({"errorMessage": error_message}));
    let replay = feed(&[START, &failed, END, SETTLED]);
    of_type(&replay, "done")[0]["errorKind"].as_str().unwrap_or_default().to_owned()
}

fn expecting<'a>(text: &'a str, turn: &'a str) -> UserInput<'a> {
    UserInput { text, expected_turn: Some(turn) }
}

#[test]
fn failed_request_has_error_kind() {
    assert_eq!(kind_of(r#"401: {"message":"invalid"}"#), "auth_expired");
    assert_eq!(kind_of("403: forbidden"), "auth_wrong_account");
    assert_eq!(kind_of("404 no such model"), "model_unknown");
    assert_eq!(kind_of("429: slow down"), "rate_limited");
    assert_eq!(kind_of("429: you exceeded your current quota"), "quota_exhausted");
    assert_eq!(kind_of("400: maximum context length is 4096 tokens"), "context_exceeded");
    assert_eq!(kind_of("529 overloaded"), "network_unreachable");
    assert_eq!(kind_of("Connection error."), "network_unreachable");
    assert_eq!(kind_of("400: bad request"), "_pi.api_error");
    assert_eq!(kind_of("4011 is a number"), "_pi.api_error");
}

#[test]
fn unstreamed_answer_is_emitted_whole() {
    let content = json!({"content": [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "yes"},
        {"type": "toolCall", "id": "c", "name": "bash", "arguments": {"command": "ls"}},
    ]});
    let start = r#"{"type":"message_start","message":{"role":"assistant"}}"#;
    let replay = feed(&[START, start, &answer("toolUse", &content), END, SETTLED]);
    assert_eq!(of_type(&replay, "thinking_delta")[0]["text"], "hm");
    assert_eq!(of_type(&replay, "text_delta")[0]["text"], "yes");
    assert_eq!(of_type(&replay, "tool_call_ready")[0]["title"], "ls");
}

#[test]
fn last_agent_end_counts() {
    let failed = answer("error", &json!({"errorMessage": "overloaded"}));
    let will_retry = r#"{"type":"agent_end","willRetry":true}"#;
    let played = feed(&[START, &failed, will_retry]);
    assert_eq!(of_type(&played, "done")[0]["errorKind"], "cli_crashed");
    let good = answer("stop", &Value::Null);
    let played = feed(&[START, &good, END]);
    assert_eq!(of_type(&played, "done")[0]["errorKind"], "cli_crashed");
    // An older version does not report `agent_settled`; its exit ends the run.
    let old = |lines: &[&str]| {
        let install = Install { version: Some("0.73.1".to_owned()), ..Install::default() };
        let mut events = PiEvents::new(DIALECT, &StartRunParams::default(), &install);
        let played = replay(&mut events, lines.join("\n").as_bytes(), &exit());
        of_type(&played, "done")[0]["status"].clone()
    };
    assert_eq!(old(&[START, &good, END]), "completed");
    assert_eq!(old(&[START, &good]), "failed");
}

#[test]
fn answer_resets_retries() {
    let retry = r#"{"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":2000,"errorMessage":"overloaded"}"#;
    let good = answer("stop", &Value::Null);
    let replay = feed(&[START, retry, START, &good, retry, START, &good, END, SETTLED]);
    assert_eq!(of_type(&replay, "done")[0]["status"], "completed");
    let replay = feed(&[START, retry, START, retry]);
    let done = of_type(&replay, "done")[0];
    assert_eq!((&done["status"], &done["evidence"]), (&json!("failed"), &json!("watchdog")));
}

#[test]
fn text_about_limits_is_not_a_limit() {
    let text = json!({"content": [{"type": "text", "text": "429: rate limit, quota exceeded"}]});
    let replay = feed(&[START, &answer("stop", &text), END, SETTLED]);
    assert!(of_type(&replay, "rate_limited").is_empty());
    assert_eq!(of_type(&replay, "done")[0]["status"], "completed");
}

#[test]
fn usage_of_answers_is_summed() {
    let with_cost = |cost: Value| {
        json!({"provider": "p", "model": "m", "usage": {
            "input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4, "totalTokens": 10, "cost": cost,
        }})
    };
    let priced = answer("stop", &with_cost(json!({"total": 0.5})));
    let replay = feed(&[START, &priced, &priced, END, SETTLED]);
    let usage = of_type(&replay, "usage");
    let scopes: Vec<&Value> = usage.iter().map(|usage| &usage["scope"]).collect();
    assert_eq!(scopes, ["turn", "run"]);
    assert_eq!((&usage[1]["costUsd"], &usage[1]["totalTokens"]), (&json!(1.0), &json!(20)));
    assert_eq!(usage[1]["model"], "p/m");
    let replay = feed(&[START, &answer("stop", &with_cost(Value::Null)), END, SETTLED]);
    assert_eq!(of_type(&replay, "usage")[0]["costUsd"], Value::Null);
}

#[test]
fn replaced_output_is_not_emitted() {
    let update = |text: &str| {
        json!({"type": "tool_execution_update", "toolCallId": "c", "toolName": "bash",
               "partialResult": {"content": [{"type": "text", "text": text}]}})
        .to_string()
    };
    let start = r#"{"type":"tool_execution_start","toolCallId":"c","toolName":"bash","args":{}}"#;
    let end = json!({"type": "tool_execution_end", "toolCallId": "c", "toolName": "bash",
    "isError": false, "result": {"content": [
        {"type": "text", "text": "all"},
        {"type": "image", "data": "AAAA", "mimeType": "image/png"},
    ]}})
    .to_string();
    let lines = [start, &update("a"), &update("ab"), &update("tail"), &end];
    let replay = feed(&lines);
    let pieces: Vec<&Value> =
        of_type(&replay, "tool_output_delta").iter().map(|piece| &piece["text"]).collect();
    assert_eq!(pieces, ["a", "b"]);
    assert_eq!(of_type(&replay, "image")[0]["data"], "AAAA");
    assert_eq!(of_type(&replay, "tool_result")[0]["output"], "all");
}

#[test]
fn successful_write_has_absolute_path() {
    let run = |is_error: bool| {
        let start = r#"{"type":"tool_execution_start","toolCallId":"c","toolName":"edit","args":{"path":"src/a.rs"}}"#;
        let end = json!({"type": "tool_execution_end", "toolCallId": "c", "toolName": "edit",
            "isError": is_error, "result": {"content": [], "details": {"patch": "--- a"}}})
        .to_string();
        feed(&[start, &end])
    };
    let replay = run(false);
    let change = of_type(&replay, "file_change")[0];
    assert_eq!(change["path"], "/workspace/src/a.rs");
    assert_eq!((&change["op"], &change["diff"]), (&json!("edit"), &json!("--- a")));
    assert!(of_type(&run(true), "file_change").is_empty());
}

#[test]
fn compaction_is_reported() {
    let replay = feed(&[
        r#"{"type":"compaction_start","reason":"threshold"}"#,
        r#"{"type":"compaction_end","reason":"threshold","result":{"estimatedTokensAfter":32000}}"#,
        r#"{"type":"compaction_end","reason":"threshold","aborted":true}"#,
    ]);
    assert_eq!(of_type(&replay, "status")[0]["phase"], "compacting");
    let context = of_type(&replay, "context");
    assert_eq!(context.len(), 1);
    assert_eq!(
        (&context[0]["compacted"], &context[0]["usedTokens"]),
        (&json!(true), &json!(32000))
    );
}

/// Early input is queued, and refused input does not keep the run open.
#[test]
fn refused_input_is_reported() {
    let refusal = r#"{"type":"response","id":"od-input-1","command":"prompt","success":false,"error":"busy"}"#;
    let lines = [r#"{"type":"session","id":"s"}"#, START, END, SETTLED, refusal].join("\n");
    let mut is_sent = false;
    let replay = replay_with(&mut events(), lines.as_bytes(), &exit(), |mapper, output| {
        if !std::mem::replace(&mut is_sent, true) {
            assert_eq!(mapper.on_input("early".into(), output), InputOutcome::Queued);
            assert_eq!(mapper.on_input(expecting("late", "turn-9"), output), InputOutcome::Refused);
        }
    });
    assert_eq!(of_type(&replay, "notice")[0]["code"], "input_refused");
    assert_eq!(of_type(&replay, "done")[0]["status"], "completed");
}

#[test]
fn question_without_client_is_dismissed() {
    let question = r#"{"type":"extension_ui_request","id":"q","method":"select","title":"Which?","options":["A","B"]}"#;
    let replay = feed(&[START, question, END, SETTLED]);
    let answer: Value = serde_json::from_slice(&replay.stdin).expect("one line");
    assert_eq!(answer, json!({"type": "extension_ui_response", "id": "q", "cancelled": true}));
    assert_eq!(of_type(&replay, "notice")[0]["code"], "question_dismissed");
}

#[test]
fn unknown_types_are_counted_and_noise_is_silent() {
    let replay = feed(&[
        "Welcome!",
        "[1, 2]",
        r#"{"type":"news","x":1}"#,
        r#"{"type":"news","x":2}"#,
        r#"{"type":"message_update","assistantMessageEvent":{"type":"smell_delta"}}"#,
        END,
        SETTLED,
    ]);
    let unmapped = of_type(&replay, "unmapped");
    assert_eq!(unmapped[0]["nativeType"], "news");
    assert_eq!(unmapped[1]["nativeType"], "message_update");
    assert_eq!(unmapped[2]["count"], 2);
}

#[test]
fn damaged_line_does_not_stop_mapper() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("pi/recordings/0.87.1");
    for scenario in ["toolfail", "r429"] {
        let path = folder.join(format!("{scenario}.stdout.jsonl"));
        let stdout = fs::read_to_string(path).expect("the recording is there");
        for line in stdout.lines().filter(|line| line.len() < 500) {
            for replacement in ["null", "-7", "[{}]", "\"?\""] {
                // Every value of the line in turn, where it follows a name.
                for (index, _) in line.match_indices("\":") {
                    let (before, after) = line.split_at(index + 2);
                    let end = after.find([',', '}']).unwrap_or(after.len());
                    let damaged = format!("{before}{replacement}{}", &after[end..]);
                    let replay = feed(&[START, &damaged, &line[..line.len() / 2]]);
                    assert_eq!(replay.events.last().expect("done")["type"], "done");
                }
            }
        }
    }
}

#[test]
fn cancel_before_output_sends_signal() {
    use od_sdk::PoliteStop;
    let mut stop = None;
    let line = b"noise\n".as_slice();
    let replay = replay_with(&mut events(), line, &exit(), |mapper: &mut dyn Mapper, output| {
        stop = Some(mapper.on_cancel(output));
    });
    assert_eq!(stop, Some(PoliteStop::Terminate));
    assert!(replay.stdin.is_empty());
}
