//! Cases without a recording: rate limits in the log, unknown lines, calls with the same id.

use od_protocol::Effort;
use od_protocol::adapter::StartRunParams;
use od_sdk::testing::{Replay, replay_with};
use od_sdk::{Exit, Install};
use opencode_family::opencode::events::Events;
use serde_json::{Value, json};

const STREAM_ERROR: &str = r#"timestamp=2026-11-16T04:45:06.897Z level=ERROR run=b6 message="stream error" small=false agent=build error.error="AI_APICallError: Rate limit reached for this model.""#;

fn run(lines: &[Value], exit: &Exit, options: Value) -> Replay {
    let adapter_options = options.as_object().cloned().unwrap_or_default();
    let start_run_params = StartRunParams { adapter_options, ..StartRunParams::default() };
    let mut events = Events::new(&start_run_params, &Install::default());
    let stdout: String = lines.iter().map(|line| format!("{line}\n")).collect();
    replay_with(&mut events, stdout.as_bytes(), exit, |_, _| {})
}

fn part(kind: &str, part: Value) -> Value {
    json!({"type": kind, "sessionID": "ses_1", "part": part})
}

fn step_finish(reason: &str) -> Value {
    part("step_finish", json!({"type": "step-finish", "id": "f", "reason": reason}))
}

fn exit(code: i32) -> Exit {
    Exit { code: Some(code), ..Exit::default() }
}

fn kinds(replay: &Replay, field: &str) -> Vec<String> {
    replay.events.iter().filter_map(|event| Some(event[field].as_str()?.to_owned())).collect()
}

fn done(replay: &Replay) -> (&str, &str) {
    let done = replay.events.last().expect("a last event");
    (done["status"].as_str().unwrap_or_default(), done["errorKind"].as_str().unwrap_or_default())
}

#[test]
fn too_many_rate_limits_fail_run() {
    let stderr_tail = format!("{STREAM_ERROR}\n{STREAM_ERROR}\n{STREAM_ERROR}\n");
    let replay = run(&[], &Exit { signal: Some(9), stderr_tail, ..Exit::default() }, json!({}));
    assert_eq!(done(&replay), ("failed", "rate_limited"));
    let types = kinds(&replay, "type");
    assert_eq!(types.iter().filter(|kind| *kind == "rate_limited").count(), 3);
    assert_eq!(types.iter().filter(|kind| *kind == "retry").count(), 2);
}

#[test]
fn max_retries_lets_run_wait() {
    let stderr_tail = format!("{STREAM_ERROR}\n{STREAM_ERROR}\n{STREAM_ERROR}\n");
    let lines = [part("step_start", json!({"type": "step-start", "id": "s"})), step_finish("stop")];
    let exit = Exit { code: Some(0), stderr_tail, ..Exit::default() };
    let replay = run(&lines, &exit, json!({"maxRetries": 5}));
    assert_eq!(done(&replay).0, "completed");
}

#[test]
fn exit_after_tool_step_is_failure() {
    let replay = run(&[step_finish("tool-calls")], &exit(0), json!({}));
    assert_eq!(done(&replay), ("failed", "cli_crashed"));
    let replay = run(&[step_finish("stop")], &exit(3), json!({}));
    assert_eq!(done(&replay), ("failed", "cli_crashed"));
    let replay = run(&[step_finish("length")], &exit(0), json!({}));
    assert_eq!(replay.events.last().expect("done")["stopReason"], "max_tokens");
}

#[test]
fn error_text_comes_from_log() {
    let error = json!({"type": "error", "sessionID": "ses_1", "error": {
        "name": "UnknownError", "data": {"message": "Unexpected server error.", "ref": "err_1"}}});
    let log = r#"timestamp=1 level=ERROR message=failed ref=err_1 error="ProviderModelNotFoundError: Model not found: a/b.""#;
    let exit = Exit { code: Some(1), stderr_tail: log.to_owned(), ..Exit::default() };
    assert_eq!(done(&run(&[error], &exit, json!({}))), ("failed", "model_unknown"));
}

#[test]
fn unknown_line_is_unmapped() {
    let lines = [
        json!({"type": "brand_new", "sessionID": "ses_1"}),
        json!({"type": "text", "sessionID": "ses_1", "part": {"type": "text", "text": 5}}),
        json!([1]),
        part("tool_use", json!({"type": "tool", "id": "p", "state": {"status": "odd"}})),
        step_finish("stop"),
    ];
    let replay = run(&lines, &exit(0), json!({}));
    assert_eq!(done(&replay).0, "completed");
    assert!(kinds(&replay, "nativeType").contains(&"brand_new".to_owned()));
}

#[test]
fn repeated_call_id_gets_part_id() {
    let call = |id: &str, exit: i64| {
        let state = json!({"status": "completed", "input": {"command": "x"}, "output": "y",
            "metadata": {"exit": exit}});
        part(
            "tool_use",
            json!({"type": "tool", "id": id, "tool": "bash", "callID": "call_0", "state": state}),
        )
    };
    let replay =
        run(&[call("prt_1", 0), call("prt_2", 3), step_finish("stop")], &exit(0), json!({}));
    let results: Vec<&Value> =
        replay.events.iter().filter(|event| event["type"] == "tool_result").collect();
    assert_eq!(results[0]["toolCallId"], "call_0");
    assert_eq!(results[1]["toolCallId"], "prt_2");
    assert_eq!(
        (results[0]["status"].as_str(), results[1]["status"].as_str()),
        (Some("ok"), Some("error"))
    );
    assert_eq!(results[1]["exitCode"], 3);
}

#[test]
fn subagents_and_plans_are_emitted() {
    let subagent = part(
        "tool_use",
        json!({"type": "tool", "id": "p1", "tool": "task", "callID": "c1",
        "state": {"status": "completed", "input": {"description": "look around"}, "output": "seen"}}),
    );
    let plan = part(
        "tool_use",
        json!({"type": "tool", "id": "p2", "tool": "todowrite", "callID": "c2",
        "state": {"status": "completed", "input": {"todos": [{"content": "a", "status": "in_progress"}]}, "output": ""}}),
    );
    let replay = run(&[subagent, plan, step_finish("stop")], &exit(0), json!({}));
    let types = kinds(&replay, "type");
    for wanted in ["subagent_started", "subagent_stopped", "plan"] {
        assert!(types.contains(&wanted.to_owned()), "{wanted}");
    }
}

#[test]
fn requested_effort_is_reported_as_unverified() {
    let effort = Some(Effort::High);
    let start_run_params = StartRunParams { effort, ..StartRunParams::default() };
    let mut events = Events::new(&start_run_params, &Install::default());
    let line = format!("{}\n", step_finish("stop"));
    let replay = replay_with(&mut events, line.as_bytes(), &exit(0), |_, _| {});
    let notice = replay.events.iter().find(|event| event["type"] == "notice").expect("a notice");
    assert_eq!(notice["code"], "degraded");
    assert!(notice["text"].as_str().is_some_and(|text| text.contains("high")), "{notice}");
}
