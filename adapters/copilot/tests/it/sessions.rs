//! Native sessions: listed and read from session files of the real CLI.

use std::path::Path;

use od_adapter_copilot::Copilot;
use od_sdk::Adapter;
use od_sdk::testing::{
    self, TestHome, check_session, check_unknown_sessions, listed, read_session,
};

/// The recorded session: a thought, a patch, and a failed command.
const SESSION: &str = "49626dc8-b96f-447d-b9a1-6960151b17f9";
const RECORDED: &str = include_str!("../../recordings/1.0.102/session.jsonl");

/// A home with the recorded session of `/workspace`, a truncated one, and an unrelated folder.
fn home() -> TestHome {
    let file = |session: &str| format!(".copilot/session-state/{session}/events.jsonl");
    let files = [
        (file(SESSION), RECORDED),
        (file(testing::SESSION), &RECORDED[..200]),
        (".copilot/session-state/.session-operation-locks/x.lock".to_owned(), ""),
    ];
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    TestHome::new(&files, &[])
}

#[test]
fn list_returns_title_folder_and_model() {
    let home = home();
    assert_eq!(listed(&Copilot, home.machine(), None).len(), 2);
    let sessions = listed(&Copilot, home.machine(), Some("/workspace"));
    assert_eq!(sessions.len(), 1, "{sessions:?}");
    assert_eq!(sessions[0].id, SESSION);
    assert_eq!(sessions[0].title.as_deref(), Some("one SCN:think"));
    assert_eq!(sessions[0].model.as_deref(), Some("gpt-5.4"));
    assert!(listed(&Copilot, home.machine(), Some("/elsewhere")).is_empty());
}

#[test]
fn read_returns_events() {
    let home = home();
    let expected = "recordings/1.0.102/session.events.jsonl";
    let result = read_session(&Copilot, home.machine(), SESSION).expect("the session exists");
    check_session(&Path::new(env!("CARGO_MANIFEST_DIR")).join(expected), &result);
    let truncated =
        read_session(&Copilot, home.machine(), testing::SESSION).expect("the session exists");
    assert!(truncated.events.is_empty());
}

#[test]
fn unknown_session_returns_typed_error() {
    let home = home();
    let ids = ["0de67ac6-d50f-4c02-93de-4c26396d463e", "..", ".session-operation-locks"];
    check_unknown_sessions(&ids, |params| Copilot.read_session(home.machine(), params));
}
