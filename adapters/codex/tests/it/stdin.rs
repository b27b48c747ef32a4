//! The lines that the adapter writes to the CLI while a recording is replayed.

use od_sdk::testing::{Recording, stdin_values};
use serde_json::{Value, json};

use crate::replay::replay;

/// Replays a recording and returns the written messages.
fn written(scenario: &str) -> Vec<Value> {
    let recording = Recording::new(env!("CARGO_MANIFEST_DIR"), "0.166.0", scenario);
    stdin_values(&replay(&recording))
}

fn methods(written: &[Value]) -> Vec<&str> {
    written.iter().filter_map(|message| message["method"].as_str()).collect()
}

#[test]
fn run_starts_thread_then_turn() {
    let written = written("plain");
    assert_eq!(methods(&written), ["thread/start", "turn/start"]);
    assert_eq!(written[1]["params"]["threadId"], "01a1e193-19a2-76b0-9a1b-c72f74930579");
}

#[test]
fn skills_precede_thread_and_models_follow_it() {
    let skills = written("skills_roots");
    assert_eq!(methods(&skills), ["skills/extraRoots/set", "thread/start", "turn/start"]);
    let effort = written("effort_max");
    assert_eq!(methods(&effort), ["thread/start", "model/list", "turn/start"]);
    // gpt-5.5 has no `max`.
    assert_eq!(effort[2]["params"]["effort"], "xhigh");
}

#[test]
fn decisions_use_cli_values() {
    let decision = |scenario: &str| {
        let answers =
            written(scenario).into_iter().filter(|message| message.get("result").is_some());
        answers.map(|answer| answer["result"].clone()).collect::<Vec<Value>>()
    };
    assert_eq!(decision("cmd_accept"), [json!({"decision": "accept"})]);
    assert_eq!(decision("patch_session"), [json!({"decision": "acceptForSession"})]);
    assert_eq!(decision("cmd_decline"), [json!({"decision": "decline"})]);
    assert_eq!(decision("cmd_cancel"), [json!({"decision": "cancel"})]);
    assert_eq!(decision("mcp"), [json!({"action": "accept", "content": {}})]);
    let session = json!({"action": "accept", "content": {}, "_meta": {"persist": "session"}});
    assert_eq!(decision("mcp_session"), [session]);
    assert_eq!(decision("user_input"), [json!({"answers": {"q1": {"answers": ["B"]}}})]);
}

#[test]
fn cancel_interrupts_turn() {
    let written = written("interrupt_tool");
    let interrupt = written.last().expect("a written message");
    assert_eq!(interrupt["method"], "turn/interrupt");
    assert_eq!(interrupt["params"]["turnId"], "01a1e2b2-ccaf-79d3-b14d-19cf92ef98df");
}

#[test]
fn rate_limit_interrupts_turn() {
    let written = written("r429long");
    assert_eq!(written.last().expect("a written message")["method"], "turn/interrupt");
}
