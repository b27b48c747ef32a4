//! For the tests of an adapter of the family: a recording and the run that led to it. In a folder
//! `<version>-rpc` the CLI was spoken to; `<scenario>.stdin.jsonl` then has what was said, each line
//! with the number of lines that were heard before it.

use od_protocol::adapter::StartRunParams;
use od_protocol::{ApprovalOutcome, InputOutcome, SessionChoice, SessionMode};
use serde::Deserialize;
use serde_json::Value;

use od_sdk::testing::{Recording, Replay, cancel, decide, decision, replay_with};
use od_sdk::{Install, Mapper, PoliteStop, RunOutput};
use pi_family::{Dialect, PiEvents};

/// What a folder's name ends with when the CLI was spoken to.
const RPC: &str = "-rpc";

/// What was said to the CLI.
#[derive(Debug, Deserialize)]
struct Said {
    /// After so many lines.
    after: usize,
    msg: Value,
}

/// Compares a recording with the events that must come out.
pub(crate) fn check(dialect: &Dialect, adapter_dir: &str, version: &str, scenario: &str) {
    let recording = Recording::new(adapter_dir, version, scenario);
    recording.check(&play(dialect, adapter_dir, version, scenario));
}

/// One test a recording, and one that none is left out. The adapter's test has the constants `DIALECT`
/// and `ADAPTER` (its folder).
macro_rules! pi_recordings {
    ($module:ident, $version:literal: $($scenario:ident)+) => {
        mod $module {
            use super::{ADAPTER, DIALECT};

            $(#[test] fn $scenario() {
                $crate::replay::check(&DIALECT, ADAPTER, $version, stringify!($scenario));
            })+

            #[test]
            fn every_recording_is_a_test() {
                let scenarios = [$(stringify!($scenario)),+];
                od_sdk::testing::check_complete(ADAPTER, $version, &scenarios);
            }
        }
    };
}

pub(crate) use pi_recordings;

/// What is written to the CLI while a recording plays.
///
/// # Panics
/// When it is no JSON.
pub(crate) fn written(
    dialect: &Dialect,
    adapter_dir: &str,
    version: &str,
    scenario: &str,
) -> Vec<Value> {
    let stdin = play(dialect, adapter_dir, version, scenario).stdin;
    let stdin = std::str::from_utf8(&stdin).expect("what we write is text");
    stdin.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

/// Plays a recording; the host answers, says and stops what it did then.
pub(crate) fn play(dialect: &Dialect, adapter_dir: &str, version: &str, scenario: &str) -> Replay {
    let recording = Recording::new(adapter_dir, version, scenario);
    let (number, mode) = match version.strip_suffix(RPC) {
        Some(number) => (number, "rpc"),
        None => (version, "json"),
    };
    let install = Install {
        version: Some(number.to_owned()),
        host_answers_approvals: true,
        ..Install::default()
    };
    let mut start_run_params = start_run_params(&recording, dialect);
    start_run_params.adapter_options.insert("mode".to_owned(), mode.into());
    let said = match mode {
        "rpc" => said(&recording.read("stdin.jsonl")),
        _ => Vec::new(),
    };
    let mut events = PiEvents::new(*dialect, &start_run_params, &install);
    let stdout = recording.read("stdout.jsonl");
    let mut heard = 0;
    replay_with(&mut events, stdout.as_bytes(), &recording.exit(), |mapper, output| {
        heard += 1;
        for said in said.iter().filter(|said| said.after == heard) {
            act(&said.msg, mapper, output);
        }
    })
}

/// What was said, without the run's own prompt.
fn said(stdin: &str) -> Vec<Said> {
    let mut has_prompt = false;
    let lines = stdin.lines().map(|line| serde_json::from_str(line).expect("a line is JSON"));
    lines
        .filter(|said: &Said| {
            let is_prompt = said.msg["type"] == "prompt";
            !is_prompt || std::mem::replace(&mut has_prompt, true)
        })
        .collect()
}

/// Does as a host what was said to the CLI.
fn act(said: &Value, mapper: &mut dyn Mapper, output: &mut RunOutput) {
    match said["type"].as_str().unwrap_or_default() {
        "abort" => {
            assert_eq!(cancel(mapper, output), PoliteStop::Written);
        }
        "prompt" | "steer" | "follow_up" => {
            let text = said["message"].as_str().unwrap_or_default();
            assert_eq!(mapper.on_input(text, None, output), InputOutcome::Steered);
        }
        "extension_ui_response" => answer(said, mapper, output),
        _ => {}
    }
}

fn answer(said: &Value, mapper: &mut dyn Mapper, output: &mut RunOutput) {
    let text = match (&said["value"], said["confirmed"].as_bool()) {
        (Value::String(value), _) => value.clone(),
        (_, Some(true)) => "yes".to_owned(),
        _ => "no".to_owned(),
    };
    let outcome = match text.as_str() {
        "Approve" => ApprovalOutcome::AllowOnce,
        _ if text == "Deny" || said["cancelled"] == true => ApprovalOutcome::RejectOnce,
        _ => {
            assert_eq!(mapper.on_input(&text, None, output), InputOutcome::Steered);
            return;
        }
    };
    let approval_id = said["id"].as_str().unwrap_or_default();
    decide(&decision(approval_id, outcome), mapper, output);
}

/// The run that led to the recorded command line.
fn start_run_params(recording: &Recording, dialect: &Dialect) -> StartRunParams {
    let session = match (recording.flag("--fork"), recording.flag(dialect.resume_flag)) {
        (Some(id), _) => SessionChoice { mode: SessionMode::Fork, id: Some(id) },
        (None, Some(id)) => SessionChoice { mode: SessionMode::Resume, id: Some(id) },
        (None, None) => {
            SessionChoice { mode: SessionMode::New, id: recording.flag("--session-id") }
        }
    };
    StartRunParams {
        run_id: "run".to_owned(),
        cwd: "/workspace".to_owned(),
        session,
        ..StartRunParams::default()
    }
}
