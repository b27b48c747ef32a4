//! Every recording: the real CLI's lines in, the expected events out.

use std::path::Path;

use od_protocol::adapter::StartRunParams;
use od_protocol::{SessionChoice, SessionMode};
use od_sdk::testing::{AcpTalk, Recording, check_complete, check_events, replay};
use od_sdk::{Adapter, Exit, Install};
use opencode_family::OpenCode;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/opencode");
const VERSION: &str = "1.18.33";

fn start_run_params(session: SessionChoice) -> StartRunParams {
    StartRunParams {
        run_id: "run".to_owned(),
        cwd: "/workspace".to_owned(),
        session,
        ..StartRunParams::default()
    }
}

/// The lines of `opencode run`.
fn check(scenario: &str) {
    let recording = Recording::new(FOLDER, VERSION, scenario);
    let id = recording.flag("--session");
    let mode = if id.is_some() { SessionMode::Resume } else { SessionMode::New };
    let start_run_params = start_run_params(SessionChoice { mode, id });
    let mut mapper = OpenCode.mapper(&start_run_params, &Install::default());
    let stdout = recording.read("stdout.jsonl");
    recording.check(&replay(&mut *mapper, stdout.as_bytes(), &recording.exit()));
}

/// A talk over ACP: one prompt of it.
fn check_talk(talk: &str, turn: usize, session: SessionChoice) {
    let folder = Path::new(FOLDER).join("recordings").join(VERSION);
    let recorded = std::fs::read_to_string(folder.join(format!("{talk}.acp.jsonl")));
    let install = Install { host_answers_approvals: true, ..Install::default() };
    let mut mapper = OpenCode.mapper(&start_run_params(session), &install);
    let exit = Exit { code: Some(0), ..Exit::default() };
    let replay = AcpTalk::read(&recorded.expect("the talk")).turn(turn).replay(&mut *mapper, &exit);
    check_events(&folder.join(format!("{talk}_{turn}.acp.events.jsonl")), &replay);
}

macro_rules! recordings {
    ($($scenario:ident)+) => {
        $(#[test] fn $scenario() { check(stringify!($scenario)); })+

        #[test]
        fn every_recording_is_a_test() {
            check_complete(FOLDER, VERSION, &[$(stringify!($scenario)),+]);
        }
    };
}

recordings! {
    auth badmodel ctx drop emptyprompt failtool rate ratequota resume shell sigint_slow
    sigterm_in_tool sigterm_slow text think tool
}

#[test]
fn a_talk_prompt_by_prompt() {
    // Text, a thought, a written file, a cancel in an answer and in a command, a refused key.
    for turn in 0..6 {
        check_talk("main", turn, SessionChoice::default());
    }
}

#[test]
fn a_session_that_is_loaded_tells_its_history_and_none_of_it_is_an_answer() {
    let id = Some("ses_e1e66e4c7ffeUcWQv0a9Qm1YPh".to_owned());
    check_talk("load", 0, SessionChoice { mode: SessionMode::Resume, id });
}
