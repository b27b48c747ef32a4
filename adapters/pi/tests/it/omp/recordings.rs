//! Every recording: the real CLI's lines in, the expected events out.

use crate::replay::{self, pi_recordings};
use pi_family::omp::dialect::DIALECT;
use serde_json::{Value, json};

const ADAPTER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/omp");

pi_recordings! { json, "18.2.3":
    continue_3 ctx400 drop maxtok noauth nomodel parallel plain r401 r404 r429 resume_1 resume_2
    slow_sigint slow_sigterm sseerr stdin text think toolfail write
}

pi_recordings! { rpc, "18.2.3-rpc":
    abort_stream abort_tool approve ctx400 deny dismissed fork forkmissing input missing noauth
    nomodel parallel plain r401 resume slash steer stop_in_retry talk think toolfail write
}

/// What is written to the CLI while a recording plays.
fn written(scenario: &str) -> Vec<Value> {
    replay::written(&DIALECT, ADAPTER, "18.2.3-rpc", scenario)
}

#[test]
fn leave_is_given_and_refused_in_the_words_of_the_cli() {
    assert_eq!(written("approve")[0]["value"], "Approve");
    assert_eq!(written("deny")[0]["value"], "Deny");
    assert_eq!(written("dismissed")[0]["value"], "Deny");
}

#[test]
fn a_stop_between_two_retries_is_the_abort() {
    let written = written("stop_in_retry");
    assert_eq!(written, [json!({"id": "od-abort", "type": "abort"})]);
}
