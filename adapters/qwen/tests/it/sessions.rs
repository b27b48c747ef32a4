//! Native sessions: listed and read from a home as the real CLI leaves it.

use std::path::Path;

use od_adapter_qwen::Qwen;
use od_sdk::Adapter;
use od_sdk::testing::{
    self, MadeUpHome, check_session, check_unknown_sessions, listed, read_session,
};

/// The session of the recording: a thought, a file that was written, and one that could not be.
const SESSION: &str = "a70583ae-3444-4b6e-9b5e-fb4137f006e5";
const RECORDED: &str = include_str!("../../recordings/0.15.10/session.jsonl");

/// A home with this session of `/workspace`, and a file that is none.
fn home(session: &str) -> MadeUpHome {
    let chats = ".qwen/projects/-workspace/chats";
    let (file, other) = (format!("{chats}/{SESSION}.jsonl"), format!("{chats}/notes.jsonl"));
    MadeUpHome::new(&[(&file, session), (&other, "{}")], &[])
}

#[test]
fn a_session_is_listed_with_its_title_folder_and_model() {
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
fn a_session_is_read_as_events() {
    let expected = "recordings/0.15.10/session.events.jsonl";
    let result = read_session(&Qwen, home(RECORDED).machine(), SESSION).expect("it is there");
    check_session(&Path::new(env!("CARGO_MANIFEST_DIR")).join(expected), &result);
}

#[test]
fn an_unknown_session_is_typed() {
    let home = home(RECORDED);
    check_unknown_sessions(&[testing::SESSION, "../../etc/passwd", "notes"], |params| {
        Qwen.read_session(home.machine(), params)
    });
}

/// What a person takes back stays in the file, but nothing that follows stands on it.
#[test]
fn what_was_taken_back_is_not_told() {
    let anew =
        r#"{"uuid":"x","parentUuid":null,"type":"user","message":{"parts":[{"text":"anew"}]}}"#;
    let home = home(&format!("{RECORDED}{anew}\n"));
    let events = read_session(&Qwen, home.machine(), SESSION).expect("it is there").events;
    assert_eq!(events.len(), 1, "{events:?}");
}
