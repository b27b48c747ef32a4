//! Cases without a recording: plans, permissions, input races, retry limits, damaged lines.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use od_adapter_codex::events::Events;
use od_adapter_codex::exec_events::ExecEvents;
use od_protocol::adapter::StartRunParams;
use od_protocol::{ApprovalOutcome, Effort, InputOutcome};
use od_sdk::testing::{
    Replay, decision, replay, replay_with, start_params as params, stdin_values,
};
use od_sdk::{Exit, Install, PoliteStop, UserInput};
use serde_json::{Value, json};

const INITIALIZE_REPLY: &str = r#"{"id":1,"result":{}}"#;
const THREAD_REPLY: &str =
    r#"{"id":2,"result":{"thread":{"id":"t"},"model":"m","sandbox":{"type":"readOnly"}}}"#;
const TURN_REPLY: &str = r#"{"id":3,"result":{"turn":{"id":"u","status":"inProgress"}}}"#;
const TURN_COMPLETED: &str = r#"{"method":"turn/completed","params":{"threadId":"t","turn":{"id":"u","status":"completed"}}}"#;

fn events(change: impl FnOnce(&mut StartRunParams)) -> Events {
    let install = Install { host_answers_approvals: true, ..Install::default() };
    Events::new(&params(change), &install)
}

fn replay_lines(lines: &[&str]) -> Replay {
    replay_lines_of(|_| {}, lines)
}

fn replay_lines_of(change: impl FnOnce(&mut StartRunParams), lines: &[&str]) -> Replay {
    let stdout = [&[INITIALIZE_REPLY, THREAD_REPLY, TURN_REPLY], lines].concat().join("\n");
    replay(&mut events(change), stdout.as_bytes(), &Exit { code: Some(0), ..Exit::default() })
}

/// The events of one type.
fn of_type<'a>(replay: &'a Replay, name: &str) -> Vec<&'a Value> {
    replay.events.iter().filter(|event| event["type"] == name).collect()
}

fn done(replay: &Replay) -> &Value {
    of_type(replay, "done")[0]
}

fn retry(attempt: u32, status: u16) -> String {
    json!({"method": "error", "params": {"threadId": "t", "turnId": "u", "willRetry": true, "error": {
        "message": format!("Reconnecting... {attempt}/99"),
        "codexErrorInfo": {"responseStreamDisconnected": {"httpStatusCode": status}},
        "additionalDetails": format!("unexpected status {status} x"),
    }}})
    .to_string()
}

fn expecting<'a>(text: &'a str, turn: &'a str) -> UserInput<'a> {
    UserInput { text, expected_turn: Some(turn) }
}

#[test]
fn plan_update_emits_plan() {
    let plan = r#"{"method":"turn/plan/updated","params":{"threadId":"t","turnId":"u","plan":[{"step":"look","status":"completed"},{"step":"leap","status":"inProgress"},{"step":"land","status":"pending"}]}}"#;
    let replay = replay_lines(&[plan, TURN_COMPLETED]);
    let expected = json!([
        {"content": "look", "status": "completed"},
        {"content": "leap", "status": "in_progress"},
        {"content": "land", "status": "pending"},
    ]);
    assert_eq!(of_type(&replay, "plan")[0]["entries"], expected);
}

#[test]
fn reconnects_beyond_max_retries_fail_run() {
    let lines: Vec<String> = (1..=6).map(|attempt| retry(attempt, 502)).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let replay = replay_lines(&[&lines[..5], &[TURN_COMPLETED]].concat());
    assert_eq!(done(&replay)["status"], "completed");
    let replay = replay_lines(&[&lines[..], &[TURN_COMPLETED]].concat());
    assert_eq!(done(&replay)["errorKind"], "network_unreachable");
    assert_eq!(done(&replay)["evidence"], "watchdog");
}

#[test]
fn rate_limit_is_retried_with_max_retries_only() {
    let limited = retry(1, 429);
    let replay = replay_lines(&[&limited, TURN_COMPLETED]);
    assert_eq!(done(&replay)["errorKind"], "rate_limited");
    assert_eq!(stdin_values(&replay).last().expect("a line")["method"], "turn/interrupt");
    let with_retries = |params: &mut StartRunParams| {
        params.adapter_options.insert("maxRetries".to_owned(), json!(1));
    };
    let replay = replay_lines_of(with_retries, &[&limited, TURN_COMPLETED]);
    assert_eq!(done(&replay)["status"], "completed");
    assert_eq!(of_type(&replay, "rate_limited").len(), 1);
}

#[test]
fn message_about_limits_is_only_text() {
    let message = r#"{"method":"item/completed","params":{"threadId":"t","item":{"type":"agentMessage","id":"m","text":"429 rate limit: Quota exceeded, context window"}}}"#;
    let replay = replay_lines(&[message, TURN_COMPLETED]);
    assert!(of_type(&replay, "rate_limited").is_empty());
    assert_eq!(done(&replay)["status"], "completed");
}

/// 0.50.0 adds text around the provider's JSON.
#[test]
fn provider_code_inside_text_is_found() {
    let text = r#"unexpected status 400 Bad Request: {"error":{"code":"context_length_exceeded","message":"too long"}}, request id: x"#;
    let line = json!({"type": "turn.failed", "error": {"message": text}}).to_string();
    let mut events = ExecEvents::new(&params(|_| {}), &Install::default());
    let replay = replay(&mut events, line.as_bytes(), &Exit::default());
    assert_eq!(done(&replay)["errorKind"], "context_exceeded");
    assert_eq!(of_type(&replay, "error")[0]["message"], "too long");
}

#[test]
fn requested_permissions_are_granted_or_denied() {
    let request = r#"{"id":7,"method":"item/permissions/requestApproval","params":{"threadId":"t","turnId":"u","itemId":"c","cwd":"/w","reason":"to build","permissions":{"network":{"enabled":true}}}}"#;
    let answer = |outcome| {
        let stdout =
            [INITIALIZE_REPLY, THREAD_REPLY, TURN_REPLY, request, TURN_COMPLETED].join("\n");
        let exit = Exit { code: Some(0), ..Exit::default() };
        let decision = decision("approval-7", outcome);
        let replay =
            replay_with(&mut events(|_| {}), stdout.as_bytes(), &exit, |mapper, output| {
                mapper.on_decision(&decision, output);
            });
        stdin_values(&replay).into_iter().find(|line| line["id"] == 7).expect("an answer")["result"]
            .clone()
    };
    let requested = json!({"network": {"enabled": true}});
    let granted = json!({"permissions": requested, "scope": "session"});
    assert_eq!(answer(ApprovalOutcome::AllowAlways), granted);
    let denied = json!({"permissions": {}, "scope": "turn"});
    assert_eq!(answer(ApprovalOutcome::RejectOnce), denied);
}

#[test]
fn withdrawn_approval_is_resolved() {
    let request = r#"{"id":0,"method":"item/commandExecution/requestApproval","params":{"threadId":"t","itemId":"c","command":"ls"}}"#;
    let withdrawn =
        r#"{"method":"serverRequest/resolved","params":{"threadId":"t","requestId":0}}"#;
    let replay = replay_lines(&[request, withdrawn, TURN_COMPLETED]);
    let resolved = of_type(&replay, "approval_resolved");
    assert_eq!(resolved.len(), 1);
    assert_eq!(
        (&resolved[0]["by"], &resolved[0]["outcome"]),
        (&json!("cancel"), &json!("reject_once"))
    );
}

#[test]
fn subagent_approval_has_no_tool_call() {
    let request = r#"{"id":0,"method":"item/commandExecution/requestApproval","params":{"threadId":"other","itemId":"c","command":"ls"}}"#;
    let replay = replay_lines(&[request, TURN_COMPLETED]);
    let asked = of_type(&replay, "approval_requested")[0];
    assert_eq!(asked.get("toolCallId"), None);
    assert_eq!(asked["summary"], "run ls");
}

#[test]
fn unknown_request_is_refused() {
    let replay = replay_lines(&[
        r#"{"id":"q","method":"attestation/generate","params":{}}"#,
        TURN_COMPLETED,
    ]);
    let answer =
        stdin_values(&replay).into_iter().find(|line| line["id"] == "q").expect("an answer");
    assert_eq!(answer["error"]["code"], -32601);
}

#[test]
fn input_after_turn_end_starts_next_turn() {
    let refused = r#"{"id":4,"error":{"code":-32600,"message":"no active turn to steer"}}"#;
    let second = r#"{"id":5,"result":{"turn":{"id":"v","status":"inProgress"}}}"#;
    let end = TURN_COMPLETED.replace(r#""u""#, r#""v""#);
    let stdout =
        [INITIALIZE_REPLY, THREAD_REPLY, TURN_REPLY, TURN_COMPLETED, refused, second, &end]
            .join("\n");
    let mut line = 0;
    let exit = Exit { code: Some(0), ..Exit::default() };
    let replay = replay_with(&mut events(|_| {}), stdout.as_bytes(), &exit, |mapper, output| {
        line += 1;
        if line == 3 {
            assert_eq!(mapper.on_input(expecting("more", "x"), output), InputOutcome::Refused);
            assert_eq!(mapper.on_input(expecting("more", "u"), output), InputOutcome::Steered);
        }
    });
    assert_eq!(done(&replay)["status"], "completed");
    assert_eq!(of_type(&replay, "turn_started").len(), 2);
    let last = stdin_values(&replay).pop().expect("a line");
    assert_eq!(
        (&last["method"], &last["params"]["input"][0]["text"]),
        (&json!("turn/start"), &json!("more"))
    );
}

#[test]
fn input_before_first_turn_is_queued() {
    let second = r#"{"id":4,"result":{"turn":{"id":"v","status":"inProgress"}}}"#;
    let end = TURN_COMPLETED.replace(r#""u""#, r#""v""#);
    let stdout =
        [INITIALIZE_REPLY, THREAD_REPLY, TURN_REPLY, TURN_COMPLETED, second, &end].join("\n");
    let mut line = 0;
    let exit = Exit { code: Some(0), ..Exit::default() };
    let replay = replay_with(&mut events(|_| {}), stdout.as_bytes(), &exit, |mapper, output| {
        line += 1;
        if line == 1 {
            assert_eq!(mapper.on_input("more".into(), output), InputOutcome::Queued);
        }
    });
    assert_eq!(of_type(&replay, "turn_ended").len(), 2);
    assert_eq!(done(&replay)["status"], "completed");
}

#[test]
fn cancel_before_turn_id_waits_for_turn() {
    let stdout = [INITIALIZE_REPLY, THREAD_REPLY].join("\n");
    let mut stops = Vec::new();
    let exit = Exit { code: Some(0), ..Exit::default() };
    replay_with(&mut events(|_| {}), stdout.as_bytes(), &exit, |mapper, output| {
        stops.push(mapper.on_cancel(output));
    });
    assert_eq!(stops, [PoliteStop::Terminate, PoliteStop::Written]);
}

#[test]
fn max_effort_of_unlisted_model_is_high() {
    let models = r#"{"id":3,"result":{"data":[{"model":"other"}]}}"#;
    let turn = r#"{"id":4,"result":{"turn":{"id":"u","status":"inProgress"}}}"#;
    let stdout = [INITIALIZE_REPLY, THREAD_REPLY, models, turn, TURN_COMPLETED].join("\n");
    let mut events = events(|params| params.effort = Some(Effort::Max));
    let replay = replay(&mut events, stdout.as_bytes(), &Exit::default());
    assert_eq!(stdin_values(&replay).last().expect("a line")["params"]["effort"], "high");
    let codes: Vec<&Value> = of_type(&replay, "notice").into_iter().map(|it| &it["code"]).collect();
    assert_eq!(codes, ["effort_lowered"]);
}

#[test]
fn thoughts_are_emitted_once() {
    let started = r#"{"method":"item/started","params":{"threadId":"t","item":{"type":"reasoning","id":"r","summary":[],"content":[]}}}"#;
    let delta = |kind: &str, text: &str| {
        let params = json!({"threadId": "t", "itemId": "r", "delta": text});
        json!({"method": format!("item/reasoning/{kind}"), "params": params}).to_string()
    };
    let part = r#"{"method":"item/reasoning/summaryPartAdded","params":{"threadId":"t","itemId":"r","summaryIndex":1}}"#;
    let ended = r#"{"method":"item/completed","params":{"threadId":"t","item":{"type":"reasoning","id":"r","summary":["one","two"],"content":["raw"]}}}"#;
    let text = |replay: &Replay| -> String {
        of_type(replay, "thinking_delta").iter().filter_map(|it| it["text"].as_str()).collect()
    };
    let (one, raw) = (delta("summaryTextDelta", "one"), delta("textDelta", "raw"));
    let two = delta("summaryTextDelta", "two");
    let streamed = replay_lines(&[started, &one, &raw, part, &two, ended, TURN_COMPLETED]);
    assert_eq!(text(&streamed), "one\n\ntwo");
    assert_eq!(text(&replay_lines(&[started, &raw, ended, TURN_COMPLETED])), "raw");
    assert_eq!(text(&replay_lines(&[started, ended, TURN_COMPLETED])), "one\n\ntwo");
}

#[test]
fn compaction_emits_context_size() {
    let usage = r#"{"method":"thread/tokenUsage/updated","params":{"threadId":"t","turnId":"u","tokenUsage":{"total":{"totalTokens":900,"inputTokens":800,"outputTokens":100},"last":{"totalTokens":70},"modelContextWindow":1000}}}"#;
    let compacted = r#"{"method":"item/completed","params":{"threadId":"t","item":{"type":"contextCompaction","id":"x"}}}"#;
    let replay = replay_lines(&[usage, compacted, TURN_COMPLETED]);
    let last = of_type(&replay, "context").pop().expect("a context").clone();
    let expected =
        json!({"type": "context", "usedTokens": 70, "maxTokens": 1000, "compacted": true});
    assert_eq!(last, expected);
}

#[test]
fn exec_todo_list_emits_plan() {
    let line = r#"{"type":"item.updated","item":{"id":"i","type":"todo_list","items":[{"text":"look","completed":true},{"text":"leap","completed":false}]}}"#;
    let unknown = r#"{"type":"item.completed","item":{"id":"j","type":"hologram"}}"#;
    let stdout = [line, unknown, r#"{"type":"turn.completed"}"#].join("\n");
    let mut events = ExecEvents::new(&params(|_| {}), &Install::default());
    let replay = replay(&mut events, stdout.as_bytes(), &Exit::default());
    let expected = json!([
        {"content": "look", "status": "completed"},
        {"content": "leap", "status": "pending"},
    ]);
    assert_eq!(of_type(&replay, "plan")[0]["entries"], expected);
    assert_eq!(of_type(&replay, "unmapped")[0]["nativeType"], "item.completed/hologram");
    assert_eq!(done(&replay)["status"], "completed");
}

#[test]
fn unknown_types_are_unmapped_noise_is_ignored() {
    let unknown = r#"{"method":"thread/mood/changed","params":{"threadId":"t"}}"#;
    let item = r#"{"method":"item/completed","params":{"threadId":"t","item":{"type":"hologram","id":"h"}}}"#;
    let replay = replay_lines(&["Welcome!", "[1, 2]", unknown, unknown, item, TURN_COMPLETED]);
    let unmapped = of_type(&replay, "unmapped");
    assert_eq!(unmapped[0]["nativeType"], "thread/mood/changed");
    assert_eq!(unmapped[1]["nativeType"], "item/completed");
    assert_eq!(unmapped[2]["count"], 2);
    assert_eq!(done(&replay)["status"], "completed");
}

#[test]
fn damaged_lines_do_not_stop_mapper() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings/0.166.0");
    let mut seen = HashSet::new();
    for scenario in ["patch_kinds", "spawn_agent", "mcp", "rlhdr"] {
        let path = folder.join(format!("{scenario}.stdout.jsonl"));
        let stdout = fs::read_to_string(path).expect("the recording exists");
        // One line of each kind: a line starts with its method and item type.
        let start = |line: &str| line.chars().take(70).collect::<String>();
        for line in stdout.lines().skip(4).filter(|line| seen.insert(start(line))) {
            // Replaces each value of the line in turn.
            let damaged: Vec<String> = ["null", "-7", "[{}]", "\"?\""]
                .iter()
                .flat_map(|replacement| {
                    line.match_indices("\":").map(move |(index, _)| {
                        let (before, after) = line.split_at(index + 2);
                        let end = after.find([',', '}']).unwrap_or(after.len());
                        format!("{before}{replacement}{}", &after[end..])
                    })
                })
                .collect();
            let mut lines: Vec<&str> = damaged.iter().map(String::as_str).collect();
            lines.push(&line[..line.len() / 2]);
            let replay = replay_lines(&lines);
            assert_eq!(replay.events.last().expect("done")["type"], "done");
        }
    }
}
