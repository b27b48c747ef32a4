//! Sessions on disk: listed, read, and the delay before loading over ACP.

use std::fs;
use std::path::Path;

use od_adapter_gemini_cli::GeminiCli;
use od_adapter_gemini_cli::sessions::{list, read, reload_delay_ms};
use od_protocol::adapter::{ListSessionsParams, ReadSessionParams, StartRunParams};
use od_protocol::{ErrorKind, Prompt, SessionChoice, SessionMode};
use od_sdk::testing::{Replay, check_events};
use od_sdk::{Adapter, Install, Machine};
use tempfile::TempDir;

const ID: &str = "0de67ac6-d50f-4c02-93de-4c26396d463e";
/// The recorded session.
const RECORDED: &str = "a510cfe0-a19b-4b85-bf42-2fd58e32840a";
/// 2026-11-16T05:04:00Z.
const STARTED_AT: u64 = 1_794_805_440_000;

fn chat(config_dir: &Path, name: &str, content: &str) {
    let chats = config_dir.join("tmp/project/chats");
    fs::create_dir_all(&chats).expect("a folder");
    fs::write(chats.join(name), content).expect("a file");
}

/// A settings folder with the recorded session and a start of the CLI without a prompt.
fn config_dir() -> TempDir {
    let config_dir = TempDir::new().expect("a scratch folder");
    let recording = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings/0.61.0/session.jsonl");
    let recorded = fs::read_to_string(recording).expect("the recording is there");
    let start = recorded.lines().next().expect("a session has a first line");
    chat(config_dir.path(), "session-2026-11-16T05-33-a510cfe0.jsonl", &recorded);
    chat(config_dir.path(), "session-2026-11-16T05-34-a510cfe0.jsonl", start);
    let projects = r#"{"projects":{"/workspace":"project","/other":"elsewhere"}}"#;
    fs::write(config_dir.path().join("projects.json"), projects).expect("a file");
    config_dir
}

#[test]
fn list_filters_by_folder_without_duplicates() {
    let config_dir = config_dir();
    let of = |cwd: Option<&str>| {
        let params = ListSessionsParams { cwd: cwd.map(str::to_owned), limit: None };
        list(config_dir.path(), &params).sessions
    };
    let sessions = of(Some("/workspace"));
    assert_eq!(sessions.len(), 1);
    assert_eq!(sessions[0].id, RECORDED);
    assert_eq!(sessions[0].cwd.as_deref(), Some("/workspace"));
    assert_eq!(sessions[0].model.as_deref(), Some("gemini-3.8-flash"));
    assert!(sessions[0].title.as_deref().is_some_and(|title| title.starts_with("SCN:parallel")));
    assert_eq!(of(None), sessions);
    assert!(of(Some("/other")).is_empty());
}

#[test]
fn read_returns_events() {
    let config_dir = config_dir();
    let params = ReadSessionParams { id: RECORDED.to_owned(), cwd: None };
    let result = read(config_dir.path(), &params).expect("the session exists");
    let events =
        result.events.iter().map(|event| serde_json::to_value(event).expect("an event is JSON"));
    let replay = Replay { events: events.collect(), stdin: Vec::new() };
    let expected =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings/0.61.0/session.events.jsonl");
    check_events(&expected, &replay);
    let unknown = ReadSessionParams { id: ID.to_owned(), cwd: None };
    let error = read(config_dir.path(), &unknown).expect_err("an unknown session");
    assert_eq!(error.kind(), ErrorKind::SessionUnknown);
}

#[test]
fn reload_delay_lasts_until_next_minute() {
    let home = TempDir::new().expect("a scratch home");
    let delay = |now| reload_delay_ms(home.path(), ID, now);
    assert_eq!(delay(STARTED_AT), None, "an unknown session");
    chat(home.path(), "session-2026-11-16T05-04-0de67ac6.jsonl", "{}");
    chat(home.path(), "session-2026-11-16T05-05-ffffffff.jsonl", "{}");
    chat(home.path(), "session-2026-11-16T05-02-0de67ac6.jsonl", "{}");
    chat(home.path(), "notes.txt", "");
    assert_eq!(delay(STARTED_AT + 12_000), Some(48_000));
    assert_eq!(delay(STARTED_AT + 60_000), None);
}

#[test]
fn early_reload_returns_session_busy() {
    let home = TempDir::new().expect("a scratch home");
    chat(&home.path().join(".gemini"), "session-2999-01-01T00-00-0de67ac6.jsonl", "{}");
    let machine = Machine { home: home.path().to_owned(), ..Machine::default() };
    let session = SessionChoice { mode: SessionMode::Resume, id: Some(ID.to_owned()) };
    let prompt = Prompt { text: "hello".to_owned(), ..Prompt::default() };
    let over_acp = StartRunParams { session, prompt, ..StartRunParams::default() };
    let install = Install { host_answers_approvals: true, ..Install::default() };
    let error = GeminiCli.invocation_on(&machine, &over_acp, &install).expect_err("session_busy");
    assert_eq!(error.kind(), ErrorKind::SessionBusy);
    let stream_json = StartRunParams { permission_mode: Some("yolo".to_owned()), ..over_acp };
    GeminiCli
        .invocation_on(&machine, &stream_json, &install)
        .expect("stream-json appends to the file");
}
