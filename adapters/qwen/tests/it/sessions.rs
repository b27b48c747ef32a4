//! Native sessions: listed and read from session files of the real CLI.

use std::path::Path;

use od_adapter_qwen::Qwen;
use od_sdk::Adapter;
use od_sdk::testing::{
    self, TestHome, check_session, check_unknown_sessions, listed, read_session,
};

/// The recorded session: a thought, a written file, and a failed write.
const SESSION: &str = "a70583ae-3444-4b6e-9b5e-fb4137f006e5";
const RECORDED: &str = include_str!("../../recordings/0.15.10/session.jsonl");

/// A home with this session of `/workspace` and an unrelated file.
fn home(session: &str) -> TestHome {
    let chats = ".qwen/projects/-workspace/chats";
    let (file, other) = (format!("{chats}/{SESSION}.jsonl"), format!("{chats}/notes.jsonl"));
    TestHome::new(&[(&file, session), (&other, "{}")], &[])
}

#[test]
fn list_returns_title_folder_and_model() {
    let home = home(RECORDED);
    let list = |cwd: Option<&str>| listed(&Qwen, home.machine(), cwd);
    let all = list(None);
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(all[0].id, SESSION);
    assert_eq!(all[0].title.as_deref(), Some("one SCN:think"));
    assert_eq!(all[0].model.as_deref(), Some("fake-model"));
    assert_eq!(list(Some("/workspace")), all);
    // The same folder name, but not the same folder.
    assert!(list(Some("-workspace")).is_empty());
    assert!(list(Some("/elsewhere")).is_empty());
}

#[test]
fn read_returns_events() {
    let expected = "recordings/0.15.10/session.events.jsonl";
    let result =
        read_session(&Qwen, home(RECORDED).machine(), SESSION).expect("the session exists");
    check_session(&Path::new(env!("CARGO_MANIFEST_DIR")).join(expected), &result);
}

#[test]
fn unknown_session_returns_typed_error() {
    let home = home(RECORDED);
    check_unknown_sessions(&[testing::SESSION, "../../etc/passwd", "notes"], |params| {
        Qwen.read_session(home.machine(), params)
    });
}

/// An undone branch stays in the file, but later records do not refer to it.
#[test]
fn undone_branch_is_skipped() {
    let anew =
        r#"{"uuid":"x","parentUuid":null,"type":"user","message":{"parts":[{"text":"anew"}]}}"#;
    let home = home(&format!("{RECORDED}{anew}\n"));
    let events = read_session(&Qwen, home.machine(), SESSION).expect("the session exists").events;
    assert_eq!(events.len(), 1, "{events:?}");
}
