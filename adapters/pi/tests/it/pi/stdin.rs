//! What the adapter writes to the CLI, while recordings are replayed.

use od_sdk::testing::{Recording, stdin_values};
use pi_family::pi::dialect::DIALECT;
use serde_json::Value;

use crate::replay::replay;

/// What the adapter writes to the CLI while a recording is replayed.
fn written(scenario: &str) -> Vec<Value> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/pi");
    stdin_values(&replay(&DIALECT, &Recording::new(folder, "0.87.1-rpc", scenario)))
}

#[test]
fn cancel_writes_abort() {
    assert_eq!(written("abort_tool")[0]["type"], "abort");
}

#[test]
fn input_is_written_as_steering_prompt() {
    let written = written("input");
    assert_eq!(written[0]["type"], "prompt");
    assert_eq!(written[0]["streamingBehavior"], "steer");
    assert_eq!(written[0]["message"], "and this SCN:plain");
}

#[test]
fn extension_dialog_gets_answer() {
    assert_eq!(written("confirm_yes")[0]["confirmed"], true);
    assert_eq!(written("confirm_no")[0]["confirmed"], false);
}

#[test]
fn endless_retry_is_aborted() {
    assert_eq!(written("drop")[0]["type"], "abort");
}
