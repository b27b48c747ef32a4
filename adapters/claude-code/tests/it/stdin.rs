//! The lines that the adapter writes to stdin while a recording is replayed.

use od_sdk::testing::{Recording, stdin_values};
use serde_json::Value;

use crate::replay::replay;

fn written(scenario: &str) -> Vec<Value> {
    let recording = Recording::new(env!("CARGO_MANIFEST_DIR"), "2.1.197", scenario);
    stdin_values(&replay(&recording))
}

#[test]
fn edited_input_is_passed_to_cli() {
    let written = written("sj_approval_edit");
    let decision = &written[0]["response"]["response"];
    assert_eq!(decision["behavior"], "allow");
    assert_eq!(decision["updatedInput"]["command"], "echo edited");
    assert_eq!(decision.get("updatedPermissions"), None);
}

#[test]
fn allow_always_rule_is_limited_to_session() {
    let written = written("sj_approval_always");
    let decision = &written[0]["response"]["response"];
    assert_eq!(decision["behavior"], "allow");
    assert_eq!(decision["updatedInput"]["content"], "hello from fake model\n");
    assert_eq!(decision["updatedPermissions"][0]["destination"], "session");
}

#[test]
fn denial_passes_reason_without_interrupt() {
    let written = written("sj_approval_deny");
    let decision = &written[0]["response"]["response"];
    assert_eq!(decision["behavior"], "deny");
    assert_eq!(decision["message"], "not today");
    assert_eq!(decision["interrupt"], false);
}

#[test]
fn cancel_writes_interrupt_request() {
    let written = written("sj_interrupt_tool");
    assert_eq!(written[0]["request"]["subtype"], "interrupt");
}

#[test]
fn input_line_ends_with_empty_block() {
    let written = written("sj_queue");
    assert_eq!(written.len(), 2);
    let content = &written[0]["message"]["content"];
    assert_eq!(content[0]["text"], "two");
    assert_eq!(content[1]["text"], "");
}

#[test]
fn text_input_answers_pending_question() {
    let written = written("sj_question");
    let decision = &written[0]["response"]["response"];
    assert_eq!(decision["behavior"], "allow");
    assert_eq!(decision["updatedInput"]["answers"]["Which one?"], "B");
    assert_eq!(decision["updatedInput"]["questions"][0]["question"], "Which one?");
}
