//! Lines that no recording has: exhausted subscriptions, task lists, damaged lines.

use std::fs;
use std::path::Path;

use od_adapter_claude_code::events::Events;
use od_protocol::adapter::StartRunParams;
use od_sdk::testing::{Replay, replay};
use od_sdk::{Exit, Install};
use serde_json::{Value, json};

const INIT: &str = r#"{"type":"system","subtype":"init","session_id":"s","tools":[]}"#;
const RESULT: &str = r#"{"type":"result","is_error":false,"terminal_reason":"completed"}"#;

fn events() -> Events {
    let start_run_params = StartRunParams { run_id: "run".to_owned(), ..Default::default() };
    Events::new(&start_run_params, &Install::default(), || "id".to_owned())
}

fn play(lines: &[&str]) -> Replay {
    let stdout = lines.join("\n");
    replay(&mut events(), stdout.as_bytes(), &Exit { code: Some(0), ..Exit::default() })
}

/// The events of one type.
fn of_type<'a>(replay: &'a Replay, name: &str) -> Vec<&'a Value> {
    replay.events.iter().filter(|event| event["type"] == name).collect()
}

fn call(name: &str, input: &Value) -> String {
    json!({"type": "assistant", "message": {"id": "m", "content": [
        {"type": "tool_use", "id": "call", "name": name, "input": input},
    ]}})
    .to_string()
}

fn call_result(content: &Value, is_error: bool, report: &Value) -> String {
    json!({"type": "user", "tool_use_result": report, "message": {"content": [
        {"type": "tool_result", "tool_use_id": "call", "content": content, "is_error": is_error},
    ]}})
    .to_string()
}

#[test]
fn exhausted_subscription_is_quota_exhausted() {
    let replay = play(&[
        INIT,
        r#"{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1900000000,"rateLimitType":"five_hour","utilization":1}}"#,
        r#"{"type":"assistant","error":"rate_limit","message":{"model":"<synthetic>","content":[{"type":"text","text":"You've used it up"}]}}"#,
        r#"{"type":"result","is_error":true,"api_error_status":429,"result":"You've used it up"}"#,
    ]);
    let quota = of_type(&replay, "quota")[0];
    assert_eq!(quota["windows"][0]["exhausted"], true);
    assert_eq!(quota["earliestResetAt"], 1_900_000_000_000_u64);
    assert_eq!(of_type(&replay, "rate_limited")[0]["window"], "five_hour");
    let error = of_type(&replay, "error")[0];
    assert_eq!(error["kind"], "quota_exhausted");
    assert_eq!(error["data"]["resetsAt"], 1_900_000_000_000_u64);
    assert!(of_type(&replay, "text_delta").is_empty());
}

#[test]
fn long_retry_wait_fails_run() {
    let retry = r#"{"type":"system","subtype":"api_retry","attempt":1,"max_retries":2,"retry_delay_ms":60000,"error_status":429,"error":"rate_limit"}"#;
    let replay = play(&[INIT, retry, RESULT]);
    let error = of_type(&replay, "error")[0];
    assert_eq!((&error["kind"], &error["retryable"]), (&json!("rate_limited"), &json!(true)));
    assert_eq!(error["data"]["retryAfterMs"], 60_000);
    let done = of_type(&replay, "done")[0];
    assert_eq!((&done["status"], &done["evidence"]), (&json!("failed"), &json!("watchdog")));
}

#[test]
fn answer_resets_retry_count() {
    let retry = r#"{"type":"system","subtype":"api_retry","attempt":1,"max_retries":2,"retry_delay_ms":1000,"error_status":500,"error":"server_error"}"#;
    let answer =
        r#"{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"ok"}]}}"#;
    let replay = play(&[INIT, retry, retry, answer, retry, retry, answer, RESULT]);
    assert_eq!(of_type(&replay, "done")[0]["status"], "completed");
    let replay = play(&[INIT, retry, retry, retry, RESULT]);
    assert_eq!(of_type(&replay, "done")[0]["errorKind"], "network_unreachable");
}

/// In 2.1.76 the code is `unknown`, and only the text has the status.
#[test]
fn status_in_text_is_classified() {
    let kind = |text: &str| {
        let error = json!({"type": "assistant", "error": "unknown", "message": {
            "model": "<synthetic>", "content": [{"type": "text", "text": text}],
        }});
        let result = json!({"type": "result", "is_error": true, "result": text});
        let replay = play(&[INIT, &error.to_string(), &result.to_string()]);
        of_type(&replay, "done")[0]["errorKind"].clone()
    };
    assert_eq!(kind(r#"API Error: 429 {"type":"error"}"#), "rate_limited");
    assert_eq!(
        kind(r#"API Error: 429 {"message":"You exceeded your current quota"}"#),
        "quota_exhausted"
    );
    assert_eq!(kind(r#"API Error: 500 {"type":"error"}"#), "network_unreachable");
    assert_eq!(kind("API Error: Connection error."), "network_unreachable");
    assert_eq!(kind("API Error: 400 messages.0: field required"), "_claude.api_error");
}

#[test]
fn text_about_limits_is_not_a_limit() {
    let answer = r#"{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"429 rate limit: quota exceeded"}]}}"#;
    let result = call_result(&json!("rate limit"), false, &Value::Null);
    let shell = call("Bash", &json!({"command": "echo rate limit"}));
    let replay = play(&[INIT, answer, &shell, &result, RESULT]);
    assert!(of_type(&replay, "rate_limited").is_empty());
    assert_eq!(of_type(&replay, "done")[0]["status"], "completed");
}

#[test]
fn todo_write_emits_plan() {
    let todos = json!({"todos": [
        {"content": "look", "status": "completed", "activeForm": "looking"},
        {"content": "leap", "status": "in_progress"},
    ]});
    let replay = play(&[INIT, &call("TodoWrite", &todos), RESULT]);
    let expected = json!([
        {"content": "look", "status": "completed"},
        {"content": "leap", "status": "in_progress"},
    ]);
    assert_eq!(of_type(&replay, "plan")[0]["entries"], expected);
}

#[test]
fn task_updates_emit_plans() {
    let created =
        call_result(&json!("ok"), false, &json!({"task": {"id": "1", "subject": "look"}}));
    let updated = call_result(&json!("ok"), false, &json!({"success": true, "taskId": "1"}));
    let update = |status: &str| call("TaskUpdate", &json!({"taskId": "1", "status": status}));
    let create = call("TaskCreate", &json!({"subject": "look"}));
    let replay = play(&[
        INIT,
        &create,
        &created,
        &update("in_progress"),
        &updated,
        &update("deleted"),
        &updated,
        RESULT,
    ]);
    let plans: Vec<&Value> =
        of_type(&replay, "plan").into_iter().map(|plan| &plan["entries"]).collect();
    assert_eq!(plans[0], &json!([{"content": "look", "status": "pending"}]));
    assert_eq!(plans[1], &json!([{"content": "look", "status": "in_progress"}]));
    assert_eq!(plans[2], &json!([]));
}

#[test]
fn image_in_tool_result_is_emitted() {
    let content = json!([
        {"type": "text", "text": "a page"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
    ]);
    let read = call("Read", &json!({"file_path": "/p.png"}));
    let replay = play(&[INIT, &read, &call_result(&content, false, &Value::Null), RESULT]);
    assert_eq!(of_type(&replay, "image")[0]["data"], "AAAA");
    assert_eq!(of_type(&replay, "tool_result")[0]["output"], "a page");
}

#[test]
fn exit_code_is_reported_only_if_known() {
    let code = |is_error, content: &str, report: Value| {
        let result = call_result(&json!(content), is_error, &report);
        let replay = play(&[INIT, &call("Bash", &json!({"command": "x"})), &result, RESULT]);
        of_type(&replay, "tool_result")[0]["exitCode"].as_i64()
    };
    let plain = json!({"stdout": "", "stderr": "", "interrupted": false});
    assert_eq!(code(false, "", plain), Some(0));
    let explained = json!({"stdout": "", "interrupted": false, "returnCodeInterpretation": "none"});
    assert_eq!(code(false, "", explained), None);
    let background = json!({"stdout": "", "interrupted": false, "backgroundTaskId": "b"});
    assert_eq!(code(false, "", background), None);
    assert_eq!(code(true, "Exit code 127\nnot found", Value::Null), Some(127));
    assert_eq!(code(true, "Exit code 1", Value::Null), Some(1));
    assert_eq!(code(true, "it timed out", Value::Null), None);
}

#[test]
fn skill_call_emits_skill_event() {
    let replay = play(&[INIT, &call("Skill", &json!({"skill": "tools:greet"})), RESULT]);
    let skill = of_type(&replay, "skill")[0];
    assert_eq!((&skill["phase"], &skill["source"]), (&json!("invoked"), &json!("tools")));
}

#[test]
fn unknown_control_request_is_refused() {
    let request =
        r#"{"type":"control_request","request_id":"q","request":{"subtype":"hook_callback"}}"#;
    let replay = play(&[INIT, request, RESULT]);
    let answer: Value = serde_json::from_slice(&replay.stdin).expect("one line");
    assert_eq!(answer["response"]["subtype"], "error");
    assert_eq!(answer["response"]["request_id"], "q");
}

#[test]
fn unknown_line_types_are_unmapped() {
    let replay = play(&[
        "Welcome!",
        "[1, 2]",
        INIT,
        r#"{"type":"system","subtype":"news","x":1}"#,
        r#"{"type":"system","subtype":"news","x":2}"#,
        r#"{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"smell_delta"}}}"#,
        RESULT,
    ]);
    let unmapped = of_type(&replay, "unmapped");
    assert_eq!(unmapped[0]["nativeType"], "system/news");
    assert_eq!(unmapped[1]["nativeType"], "stream_event");
    assert_eq!(unmapped[2]["count"], 2);
    assert_eq!(of_type(&replay, "done")[0]["status"], "completed");
}

#[test]
fn damaged_lines_never_panic() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings/2.1.197");
    for scenario in ["write_accept", "subagent_agent", "sj_approval_always", "rlhdr_oauth", "r429"]
    {
        let path = folder.join(format!("{scenario}.stdout.jsonl"));
        let stdout = fs::read_to_string(path).expect("the recording exists");
        for line in stdout.lines() {
            for replacement in ["null", "-7", "[{}]", "\"?\""] {
                // Replaces each value that follows a field name.
                for (index, _) in line.match_indices("\":") {
                    let (before, after) = line.split_at(index + 2);
                    let end = after.find([',', '}']).unwrap_or(after.len());
                    let damaged = format!("{before}{replacement}{}", &after[end..]);
                    let replay = play(&[INIT, &damaged, &line[..line.len() / 2]]);
                    assert_eq!(replay.events.last().expect("done")["type"], "done");
                }
            }
        }
    }
}
