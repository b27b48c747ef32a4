//! Lines no recording holds: plans, permissions, races of input, patience, damage.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use od_adapter_codex::events::Events;
use od_adapter_codex::exec_events::ExecEvents;
use od_protocol::adapter::StartRunParams;
use od_protocol::{Effort, InputOutcome};
use od_sdk::testing::{Replay, replay, replay_with};
use od_sdk::{Exit, Install, Mapper, PoliteStop, RunOutput};
use serde_json::{Value, json};

const HELLO: &str = r#"{"id":1,"result":{}}"#;
const THREAD: &str =
    r#"{"id":2,"result":{"thread":{"id":"t"},"model":"m","sandbox":{"type":"readOnly"}}}"#;
const TURN: &str = r#"{"id":3,"result":{"turn":{"id":"u","status":"inProgress"}}}"#;
const DONE: &str = r#"{"method":"turn/completed","params":{"threadId":"t","turn":{"id":"u","status":"completed"}}}"#;

fn params(change: impl FnOnce(&mut StartRunParams)) -> StartRunParams {
    let mut params = StartRunParams { run_id: "run".to_owned(), ..Default::default() };
    change(&mut params);
    params
}

fn events(change: impl FnOnce(&mut StartRunParams)) -> Events {
    let install = Install { host_answers_approvals: true, ..Install::default() };
    Events::new(&params(change), &install)
}

fn play(lines: &[&str]) -> Replay {
    play_as(|_| {}, lines)
}

fn play_as(change: impl FnOnce(&mut StartRunParams), lines: &[&str]) -> Replay {
    let stdout = [&[HELLO, THREAD, TURN], lines].concat().join("\n");
    replay(&mut events(change), stdout.as_bytes(), &Exit { code: Some(0), ..Exit::default() })
}

/// The events of one type.
fn of_type<'a>(replay: &'a Replay, name: &str) -> Vec<&'a Value> {
    replay.events.iter().filter(|event| event["type"] == name).collect()
}

fn done(replay: &Replay) -> &Value {
    of_type(replay, "done")[0]
}

fn written(replay: &Replay) -> Vec<Value> {
    let text = String::from_utf8(replay.stdin.clone()).expect("what we write is text");
    text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

fn retry(attempt: u32, status: u16) -> String {
    json!({"method": "error", "params": {"threadId": "t", "turnId": "u", "willRetry": true, "error": {
        "message": format!("Reconnecting... {attempt}/99"),
        "codexErrorInfo": {"responseStreamDisconnected": {"httpStatusCode": status}},
        "additionalDetails": format!("unexpected status {status} x"),
    }}})
    .to_string()
}

#[test]
fn the_plan_of_a_turn() {
    let plan = r#"{"method":"turn/plan/updated","params":{"threadId":"t","turnId":"u","plan":[{"step":"look","status":"completed"},{"step":"leap","status":"inProgress"},{"step":"land","status":"pending"}]}}"#;
    let replay = play(&[plan, DONE]);
    let expected = json!([
        {"content": "look", "status": "completed"},
        {"content": "leap", "status": "in_progress"},
        {"content": "land", "status": "pending"},
    ]);
    assert_eq!(of_type(&replay, "plan")[0]["entries"], expected);
}

#[test]
fn a_broken_connection_is_tried_again_and_again_but_not_for_ever() {
    let lines: Vec<String> = (1..=6).map(|attempt| retry(attempt, 502)).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let replay = play(&[&lines[..5], &[DONE]].concat());
    assert_eq!(done(&replay)["status"], "completed");
    let replay = play(&[&lines[..], &[DONE]].concat());
    assert_eq!(done(&replay)["errorKind"], "network_unreachable");
    assert_eq!(done(&replay)["evidence"], "watchdog");
}

#[test]
fn a_rate_limit_is_waited_out_only_by_a_patient_run() {
    let limited = retry(1, 429);
    let replay = play(&[&limited, DONE]);
    assert_eq!(done(&replay)["errorKind"], "rate_limited");
    assert_eq!(written(&replay).last().expect("a line")["method"], "turn/interrupt");
    let patient = |params: &mut StartRunParams| {
        params.adapter_options.insert("maxRetries".to_owned(), json!(1));
    };
    let replay = play_as(patient, &[&limited, DONE]);
    assert_eq!(done(&replay)["status"], "completed");
    assert_eq!(of_type(&replay, "rate_limited").len(), 1);
}

#[test]
fn words_about_limits_are_only_words() {
    let message = r#"{"method":"item/completed","params":{"threadId":"t","item":{"type":"agentMessage","id":"m","text":"429 rate limit: Quota exceeded, context window"}}}"#;
    let replay = play(&[message, DONE]);
    assert!(of_type(&replay, "rate_limited").is_empty());
    assert_eq!(done(&replay)["status"], "completed");
}

/// 0.50.0 puts words around what the provider said.
#[test]
fn the_code_of_a_provider_is_found_among_words() {
    let text = r#"unexpected status 400 Bad Request: {"error":{"code":"context_length_exceeded","message":"too long"}}, request id: x"#;
    let line = json!({"type": "turn.failed", "error": {"message": text}}).to_string();
    let mut events = ExecEvents::new(&params(|_| {}), &Install::default());
    let replay = replay(&mut events, line.as_bytes(), &Exit::default());
    assert_eq!(done(&replay)["errorKind"], "context_exceeded");
    assert_eq!(of_type(&replay, "error")[0]["message"], "too long");
}

#[test]
fn permissions_are_granted_as_they_were_asked_for_or_not_at_all() {
    let ask = r#"{"id":7,"method":"item/permissions/requestApproval","params":{"threadId":"t","turnId":"u","itemId":"c","cwd":"/w","reason":"to build","permissions":{"network":{"enabled":true}}}}"#;
    let answer = |outcome| {
        let stdout = [HELLO, THREAD, TURN, ask, DONE].join("\n");
        let exit = Exit { code: Some(0), ..Exit::default() };
        let mut asked = false;
        let replay = replay_with(
            &mut events(|_| {}),
            stdout.as_bytes(),
            &exit,
            |mapper: &mut dyn Mapper, output: &mut RunOutput| {
                let respond_run_params = od_protocol::adapter::RespondRunParams {
                    run_id: "run".to_owned(),
                    approval_id: "approval-7".to_owned(),
                    outcome,
                    updated_input: None,
                    message: None,
                    by: None,
                };
                if !std::mem::replace(&mut asked, true) {
                    return;
                }
                mapper.on_decision(&respond_run_params, output);
            },
        );
        written(&replay).into_iter().find(|line| line["id"] == 7).expect("an answer")["result"]
            .clone()
    };
    let asked = json!({"network": {"enabled": true}});
    let granted = json!({"permissions": asked, "scope": "session"});
    assert_eq!(answer(od_protocol::ApprovalOutcome::AllowAlways), granted);
    let denied = json!({"permissions": {}, "scope": "turn"});
    assert_eq!(answer(od_protocol::ApprovalOutcome::RejectOnce), denied);
}

#[test]
fn a_question_that_the_cli_takes_back_is_resolved() {
    let ask = r#"{"id":0,"method":"item/commandExecution/requestApproval","params":{"threadId":"t","itemId":"c","command":"ls"}}"#;
    let back = r#"{"method":"serverRequest/resolved","params":{"threadId":"t","requestId":0}}"#;
    let replay = play(&[ask, back, DONE]);
    let resolved = of_type(&replay, "approval_resolved");
    assert_eq!(resolved.len(), 1);
    assert_eq!(
        (&resolved[0]["by"], &resolved[0]["outcome"]),
        (&json!("cancel"), &json!("reject_once"))
    );
}

#[test]
fn a_helper_that_asks_is_answered_without_a_call_of_ours() {
    let ask = r#"{"id":0,"method":"item/commandExecution/requestApproval","params":{"threadId":"other","itemId":"c","command":"ls"}}"#;
    let replay = play(&[ask, DONE]);
    let asked = of_type(&replay, "approval_requested")[0];
    assert_eq!(asked.get("toolCallId"), None);
    assert_eq!(asked["summary"], "run ls");
}

#[test]
fn a_request_the_adapter_does_not_know_is_refused_and_not_left_waiting() {
    let replay = play(&[r#"{"id":"q","method":"attestation/generate","params":{}}"#, DONE]);
    let answer = written(&replay).into_iter().find(|line| line["id"] == "q").expect("an answer");
    assert_eq!(answer["error"]["code"], -32601);
}

#[test]
fn input_that_came_too_late_for_a_turn_starts_another() {
    let refused = r#"{"id":4,"error":{"code":-32600,"message":"no active turn to steer"}}"#;
    let second = r#"{"id":5,"result":{"turn":{"id":"v","status":"inProgress"}}}"#;
    let end = DONE.replace(r#""u""#, r#""v""#);
    let stdout = [HELLO, THREAD, TURN, DONE, refused, second, &end].join("\n");
    let mut line = 0;
    let exit = Exit { code: Some(0), ..Exit::default() };
    let replay = replay_with(&mut events(|_| {}), stdout.as_bytes(), &exit, |mapper, output| {
        line += 1;
        if line == 3 {
            assert_eq!(mapper.on_input("more", Some("x"), output), InputOutcome::Refused);
            assert_eq!(mapper.on_input("more", Some("u"), output), InputOutcome::Steered);
        }
    });
    assert_eq!(done(&replay)["status"], "completed");
    assert_eq!(of_type(&replay, "turn_started").len(), 2);
    let last = written(&replay).pop().expect("a line");
    assert_eq!(
        (&last["method"], &last["params"]["input"][0]["text"]),
        (&json!("turn/start"), &json!("more"))
    );
}

#[test]
fn input_before_the_first_turn_waits_for_the_next() {
    let second = r#"{"id":4,"result":{"turn":{"id":"v","status":"inProgress"}}}"#;
    let end = DONE.replace(r#""u""#, r#""v""#);
    let stdout = [HELLO, THREAD, TURN, DONE, second, &end].join("\n");
    let mut line = 0;
    let exit = Exit { code: Some(0), ..Exit::default() };
    let replay = replay_with(&mut events(|_| {}), stdout.as_bytes(), &exit, |mapper, output| {
        line += 1;
        if line == 1 {
            assert_eq!(mapper.on_input("more", None, output), InputOutcome::Queued);
        }
    });
    assert_eq!(of_type(&replay, "turn_ended").len(), 2);
    assert_eq!(done(&replay)["status"], "completed");
}

#[test]
fn a_cancel_before_the_turn_has_a_name_interrupts_it_as_soon_as_it_has() {
    let stdout = [HELLO, THREAD].join("\n");
    let mut stops = Vec::new();
    let exit = Exit { code: Some(0), ..Exit::default() };
    replay_with(&mut events(|_| {}), stdout.as_bytes(), &exit, |mapper, output| {
        stops.push(mapper.on_cancel(output));
    });
    assert_eq!(stops, [PoliteStop::Terminate, PoliteStop::Written]);
}

#[test]
fn a_model_that_nobody_lists_thinks_hard() {
    let models = r#"{"id":3,"result":{"data":[{"model":"other"}]}}"#;
    let turn = r#"{"id":4,"result":{"turn":{"id":"u","status":"inProgress"}}}"#;
    let stdout = [HELLO, THREAD, models, turn, DONE].join("\n");
    let mut events = events(|params| params.effort = Some(Effort::Max));
    let replay = replay(&mut events, stdout.as_bytes(), &Exit::default());
    assert_eq!(written(&replay).last().expect("a line")["params"]["effort"], "high");
    let codes: Vec<&Value> = of_type(&replay, "notice").into_iter().map(|it| &it["code"]).collect();
    assert_eq!(codes, ["effort_lowered"]);
}

#[test]
fn thoughts_are_told_once_whatever_they_are_made_of() {
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
    let streamed = play(&[started, &one, &raw, part, &two, ended, DONE]);
    assert_eq!(text(&streamed), "one\n\ntwo");
    assert_eq!(text(&play(&[started, &raw, ended, DONE])), "raw");
    assert_eq!(text(&play(&[started, ended, DONE])), "one\n\ntwo");
}

#[test]
fn a_compaction_is_told_with_what_is_left() {
    let usage = r#"{"method":"thread/tokenUsage/updated","params":{"threadId":"t","turnId":"u","tokenUsage":{"total":{"totalTokens":900,"inputTokens":800,"outputTokens":100},"last":{"totalTokens":70},"modelContextWindow":1000}}}"#;
    let compacted = r#"{"method":"item/completed","params":{"threadId":"t","item":{"type":"contextCompaction","id":"x"}}}"#;
    let replay = play(&[usage, compacted, DONE]);
    let last = of_type(&replay, "context").pop().expect("a context").clone();
    let expected =
        json!({"type": "context", "usedTokens": 70, "maxTokens": 1000, "compacted": true});
    assert_eq!(last, expected);
}

#[test]
fn the_list_of_things_to_do_of_exec() {
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
fn unknown_types_are_counted_and_noise_is_silent() {
    let news = r#"{"method":"thread/mood/changed","params":{"threadId":"t"}}"#;
    let item = r#"{"method":"item/completed","params":{"threadId":"t","item":{"type":"hologram","id":"h"}}}"#;
    let replay = play(&["Welcome!", "[1, 2]", news, news, item, DONE]);
    let unmapped = of_type(&replay, "unmapped");
    assert_eq!(unmapped[0]["nativeType"], "thread/mood/changed");
    assert_eq!(unmapped[1]["nativeType"], "item/completed");
    assert_eq!(unmapped[2]["count"], 2);
    assert_eq!(done(&replay)["status"], "completed");
}

#[test]
fn no_damaged_line_ends_the_mapper() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings/0.166.0");
    let mut seen = HashSet::new();
    for scenario in ["patch_kinds", "spawn_agent", "mcp", "rlhdr"] {
        let path = folder.join(format!("{scenario}.stdout.jsonl"));
        let stdout = fs::read_to_string(path).expect("the recording is there");
        // One line of each kind: method and type of the item are at its start.
        let start = |line: &str| line.chars().take(70).collect::<String>();
        for line in stdout.lines().skip(4).filter(|line| seen.insert(start(line))) {
            // Every value of the line in turn, where it follows a name.
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
            let replay = play(&lines);
            assert_eq!(replay.events.last().expect("done")["type"], "done");
        }
    }
}
