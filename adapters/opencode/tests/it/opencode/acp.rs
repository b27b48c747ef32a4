//! Recordings over ACP: the agent's messages in, the expected events out, prompt by prompt.

use std::path::Path;

use od_protocol::adapter::StartRunParams;
use od_protocol::{SessionChoice, SessionMode};
use od_sdk::testing::{AcpRecording, check_events};
use od_sdk::{Adapter, Exit, Install};
use opencode_family::OpenCode;

const RECORDINGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/opencode/recordings/1.18.33");

fn start_run_params(session: SessionChoice) -> StartRunParams {
    StartRunParams {
        run_id: "run".to_owned(),
        cwd: "/workspace".to_owned(),
        session,
        ..StartRunParams::default()
    }
}

/// Checks one prompt of a recording.
fn check_turn(recording: &str, turn: usize, session: SessionChoice) {
    let folder = Path::new(RECORDINGS);
    let recorded = std::fs::read_to_string(folder.join(format!("{recording}.acp.jsonl")));
    let install = Install { host_answers_approvals: true, ..Install::default() };
    let mut mapper = OpenCode.mapper(&start_run_params(session), &install);
    let exit = Exit { code: Some(0), ..Exit::default() };
    let replay = AcpRecording::read(&recorded.expect("the recording exists"))
        .turn(turn)
        .replay(&mut *mapper, &exit);
    check_events(&folder.join(format!("{recording}_{turn}.acp.events.jsonl")), &replay);
}

#[test]
fn each_prompt_yields_its_events() {
    // Text, reasoning, a written file, a cancel in an answer and in a command, a refused key.
    for turn in 0..6 {
        check_turn("main", turn, SessionChoice::default());
    }
}

#[test]
fn loaded_history_is_not_part_of_answer() {
    let id = Some("ses_e1e66e4c7ffeUcWQv0a9Qm1YPh".to_owned());
    check_turn("load", 0, SessionChoice { mode: SessionMode::Resume, id });
}
