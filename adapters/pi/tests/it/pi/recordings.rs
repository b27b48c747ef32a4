//! Every recording: the real CLI's lines in, the expected events out.

use crate::replay::{self, pi_recordings};
use pi_family::pi::dialect::DIALECT;
use serde_json::Value;

const ADAPTER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/pi");

pi_recordings! { v0_87_1, "0.87.1":
    continue_3 ctx400 drop maxtok noauth nomodel parallel plain r401 r429 resume_1 slow_sigterm
    sseerr stdin stdin_big text think toolfail unicode write
}

pi_recordings! { rpc, "0.87.1-rpc":
    abort_stream abort_tool confirm_no confirm_yes drop fork input missing noauth nomodel
    other_folder r401 resume session_id slash steer talk think write
}

// The newest at the time of writing; it was run from its packed bundle.
pi_recordings! { v1_5_0, "1.5.0":
    auth_check_anthropic auth_check_fake plain print_r401 r401 r429 session_id_1 slow_sigterm
    text_r401 think write
}

// The last of the old package: no `agent_settled`, the whole message in every update.
pi_recordings! { v0_73_1, "0.73.1":
    continue_3 fork_4 noauth plain r401 r429 resume_1 resume_2 resume_missing slow_sigterm stdin
    think write
}

/// What is written to the CLI while a recording plays.
fn written(scenario: &str) -> Vec<Value> {
    replay::written(&DIALECT, ADAPTER, "0.87.1-rpc", scenario)
}

#[test]
fn cancelling_is_the_abort() {
    assert_eq!(written("abort_tool")[0]["type"], "abort");
}

#[test]
fn input_steers_a_run_that_works_and_prompts_one_that_is_idle() {
    let written = written("input");
    assert_eq!(written[0]["type"], "prompt");
    assert_eq!(written[0]["streamingBehavior"], "steer");
    assert_eq!(written[0]["message"], "and this SCN:plain");
}

#[test]
fn a_question_of_an_extension_is_answered_in_words() {
    assert_eq!(written("confirm_yes")[0]["confirmed"], true);
    assert_eq!(written("confirm_no")[0]["confirmed"], false);
}

#[test]
fn an_endless_retry_is_aborted() {
    assert_eq!(written("drop")[0]["type"], "abort");
}
