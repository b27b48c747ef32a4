//! Every recording: the real CLI's lines in, the expected events out.

use od_adapter_omp::dialect::DIALECT;
use od_sdk::pi::testing::{Recording, check_complete};
use serde_json::{Value, json};

const RECORDINGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/recordings");
const VERSION: &str = "18.2.3";

fn recording(scenario: &'static str) -> Recording<'static> {
    Recording { dialect: DIALECT, recordings: RECORDINGS, version: VERSION, scenario }
}

macro_rules! recordings {
    ($($scenario:ident)+) => {
        $(#[test] fn $scenario() {
            recording(stringify!($scenario)).check();
        })+

        #[test]
        fn every_recording_is_a_test() {
            check_complete(RECORDINGS, VERSION, &[$(stringify!($scenario)),+]);
        }
    };
}

recordings! {
    continue_3 ctx400 drop maxtok noauth nomodel parallel plain r401 r404 r429 resume_1 resume_2
    rpc rpc_abort_stream rpc_abort_tool rpc_approve rpc_deny rpc_dismissed rpc_fork
    rpc_forkmissing rpc_input rpc_missing rpc_noauth rpc_nomodel rpc_plain rpc_r401 rpc_r429
    rpc_resume rpc_slash rpc_steer rpc_think rpc_write slow_sigint slow_sigterm sseerr stdin text
    think toolfail write
}

/// What is written to the CLI while a recording plays.
fn written(scenario: &'static str) -> Vec<Value> {
    let stdin = recording(scenario).replay().stdin;
    let stdin = String::from_utf8(stdin).expect("what we write is text");
    stdin.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

#[test]
fn leave_is_given_and_refused_in_the_words_of_the_cli() {
    assert_eq!(written("rpc_approve")[0]["value"], "Approve");
    assert_eq!(written("rpc_deny")[0]["value"], "Deny");
    assert_eq!(written("rpc_dismissed")[0]["value"], "Deny");
}

#[test]
fn a_stop_between_two_retries_is_the_abort() {
    let written = written("rpc_r429");
    assert_eq!(written, [json!({"id": "od-abort", "type": "abort"})]);
}
