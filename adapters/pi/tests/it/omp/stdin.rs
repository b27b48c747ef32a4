//! What the adapter writes to the CLI, while recordings are replayed.

use od_sdk::testing::{Recording, stdin_values};
use pi_family::omp::dialect::DIALECT;
use serde_json::{Value, json};

use crate::replay::replay;

/// What the adapter writes to the CLI while a recording is replayed.
fn written(scenario: &str) -> Vec<Value> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/omp");
    stdin_values(&replay(&DIALECT, &Recording::new(folder, "18.2.3-rpc", scenario)))
}

#[test]
fn decision_is_written_as_cli_choice() {
    assert_eq!(written("approve")[0]["value"], "Approve");
    assert_eq!(written("deny")[0]["value"], "Deny");
    assert_eq!(written("dismissed")[0]["value"], "Deny");
}

#[test]
fn cancel_between_retries_writes_abort() {
    let written = written("stop_in_retry");
    assert_eq!(written, [json!({"id": "od-abort", "type": "abort"})]);
}
