//! Native sessions: listed and read from a home as the real CLI leaves it.

use std::path::Path;

use od_adapter_copilot::Copilot;
use od_sdk::Adapter;
use od_sdk::testing::{
    self, MadeUpHome, check_session, check_unknown_sessions, listed, read_session,
};

/// The session of the recording: a thought, a patch, and a command that failed.
const SESSION: &str = "49626dc8-b96f-447d-b9a1-6960151b17f9";
const RECORDED: &str = include_str!("../../recordings/1.0.102/session.jsonl");

/// A home with the recorded session of `/workspace`, one that was cut off, and a folder that is none.
fn home() -> MadeUpHome {
    let file = |session: &str| format!(".copilot/session-state/{session}/events.jsonl");
    let files = [
        (file(SESSION), RECORDED),
        (file(testing::SESSION), &RECORDED[..200]),
        (".copilot/session-state/.session-operation-locks/x.lock".to_owned(), ""),
    ];
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    MadeUpHome::new(&files, &[])
}

#[test]
fn a_session_is_listed_with_its_title_folder_and_model() {
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
fn a_session_is_read_as_events() {
    let home = home();
    let expected = "recordings/1.0.102/session.events.jsonl";
    let result = read_session(&Copilot, home.machine(), SESSION).expect("it is there");
    check_session(&Path::new(env!("CARGO_MANIFEST_DIR")).join(expected), &result);
    let torn = read_session(&Copilot, home.machine(), testing::SESSION).expect("it is there");
    assert!(torn.events.is_empty());
}

#[test]
fn an_unknown_session_is_typed() {
    let home = home();
    let ids = ["0de67ac6-d50f-4c02-93de-4c26396d463e", "..", ".session-operation-locks"];
    check_unknown_sessions(&ids, |params| Copilot.read_session(home.machine(), params));
}
