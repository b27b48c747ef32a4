//! Recordings over ACP: the agent's messages in, the expected events out. A recording with several
//! prompts has one test per prompt.

use od_adapter_gemini_cli::acp;
use od_protocol::adapter::StartRunParams;
use od_protocol::{Prompt, SessionChoice, SessionMode};
use od_sdk::testing::{AcpRecording, Recording, Replay};
use od_sdk::{Exit, Install};
use serde_json::Value;

/// Both directions are in `<name>.acp.jsonl`; the agent's messages are also in
/// `<name>_talk.stdout.jsonl`, for the comparison with newer versions of the CLI.
const RECORDINGS: &[&str] = &["main", "nofs", "load", "noauth"];

#[test]
fn agent_messages_equal_recorded_stdout() {
    for name in RECORDINGS {
        let stdout = recording(&format!("{name}_talk")).read("stdout.jsonl");
        let lines = |text: &str| -> Vec<Value> {
            text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
        };
        assert_eq!(lines(&stdout), lines(&acp_recording(name).agent_lines()), "{name}");
    }
}

fn recording(scenario: &str) -> Recording {
    Recording::new(env!("CARGO_MANIFEST_DIR"), "0.61.0", scenario)
}

fn replay(talk: &AcpRecording, session: SessionChoice) -> Replay {
    let start_run_params = StartRunParams {
        cwd: "/workspace".to_owned(),
        prompt: Prompt { text: "hello".to_owned(), ..Prompt::default() },
        session,
        ..StartRunParams::default()
    };
    let mut mapper = acp::mapper(&start_run_params, &Install::default());
    talk.replay(&mut *mapper, &Exit { code: Some(0), ..Exit::default() })
}

fn acp_recording(name: &str) -> AcpRecording {
    AcpRecording::read(&recording(name).read("acp.jsonl"))
}

fn turn(talk: &str, number: usize) -> Replay {
    let talk = acp_recording(talk);
    replay(&talk.turn(number), SessionChoice::default())
}

fn check_turn(name: &str, talk: &str, number: usize) {
    recording(&format!("{talk}_{name}")).check(&turn(talk, number));
}

#[test]
fn main_text() {
    check_turn("text", "main", 0);
}

#[test]
fn main_think() {
    check_turn("think", "main", 1);
}

/// The client of this recording offered file access, and the CLI could not create a file through it.
#[test]
fn main_tool() {
    check_turn("tool", "main", 2);
}

#[test]
fn main_cancel() {
    check_turn("cancel", "main", 4);
}

#[test]
fn main_cancel_tool() {
    check_turn("cancel_tool", "main", 5);
}

#[test]
fn main_auth() {
    check_turn("auth", "main", 6);
}

#[test]
fn main_quota() {
    check_turn("quota", "main", 7);
}

#[test]
fn nofs_allow() {
    check_turn("allow", "nofs", 0);
}

#[test]
fn nofs_reject() {
    check_turn("reject", "nofs", 1);
}

#[test]
fn load() {
    let talk = acp_recording("load");
    let id = Some("77228632-46ef-48e1-bd0f-16a073d00401".to_owned());
    let replay = replay(&talk, SessionChoice { mode: SessionMode::Resume, id });
    recording("load_talk").check(&replay);
}

#[test]
fn noauth() {
    let talk = acp_recording("noauth");
    let replay = replay(&talk, SessionChoice::default());
    recording("noauth_talk").check(&replay);
}

/// One session, several turns: each prompt waits for the previous answer.
#[test]
fn input_during_turn_starts_next_turn() {
    let talk = acp_recording("main");
    let replay = replay(&talk, SessionChoice::default());
    let turns = replay.events.iter().filter(|event| event["type"] == "turn_started").count();
    assert_eq!(turns, 5, "the fifth one is cancelled");
    let stdin = String::from_utf8(replay.stdin).expect("stdin is text");
    let prompts: Vec<Value> = stdin
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["method"] == "session/prompt")
        .collect();
    assert_eq!(prompts[1]["params"]["prompt"][0]["text"], "SCN:think CWD:/workspace");
}
