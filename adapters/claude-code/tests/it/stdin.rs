//! What the adapter writes to the CLI, while recordings are replayed.

use od_sdk::testing::{Recording, stdin_values};
use serde_json::Value;

use crate::replay::replay;

/// What the adapter writes to the CLI while a recording is replayed.
fn written(scenario: &str) -> Vec<Value> {
    let recording = Recording::new(env!("CARGO_MANIFEST_DIR"), "2.1.197", scenario);
    stdin_values(&replay(&recording))
}

#[test]
fn an_edited_input_is_the_one_that_runs() {
    let written = written("sj_approval_edit");
    let decision = &written[0]["response"]["response"];
    assert_eq!(decision["behavior"], "allow");
    assert_eq!(decision["updatedInput"]["command"], "echo edited");
    assert_eq!(decision.get("updatedPermissions"), None);
}

#[test]
fn always_means_this_session_and_not_the_settings_of_the_project() {
    let written = written("sj_approval_always");
    let decision = &written[0]["response"]["response"];
    assert_eq!(decision["behavior"], "allow");
    assert_eq!(decision["updatedInput"]["content"], "hello from fake model\n");
    assert_eq!(decision["updatedPermissions"][0]["destination"], "session");
}

#[test]
fn a_denial_carries_its_reason_and_lets_the_agent_go_on() {
    let written = written("sj_approval_deny");
    let decision = &written[0]["response"]["response"];
    assert_eq!(decision["behavior"], "deny");
    assert_eq!(decision["message"], "not today");
    assert_eq!(decision["interrupt"], false);
}

#[test]
fn cancelling_is_the_interrupt_request() {
    let written = written("sj_interrupt_tool");
    assert_eq!(written[0]["request"]["subtype"], "interrupt");
}

#[test]
fn input_is_followed_by_an_empty_block_so_that_it_is_data() {
    let written = written("sj_queue");
    assert_eq!(written.len(), 2);
    let content = &written[0]["message"]["content"];
    assert_eq!(content[0]["text"], "two");
    assert_eq!(content[1]["text"], "");
}

#[test]
fn a_question_in_words_is_answered_in_words() {
    let written = written("sj_question");
    let decision = &written[0]["response"]["response"];
    assert_eq!(decision["behavior"], "allow");
    assert_eq!(decision["updatedInput"]["answers"]["Which one?"], "B");
    assert_eq!(decision["updatedInput"]["questions"][0]["question"], "Which one?");
}
