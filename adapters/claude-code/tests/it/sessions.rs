//! Native sessions: listed and read from session files of the real CLI.

use std::fs;
use std::path::Path;

use od_adapter_claude_code::sessions;
use od_protocol::adapter::{ListSessionsParams, ReadSessionParams};
use od_sdk::testing::{self, check_session, check_unknown_sessions};
use tempfile::TempDir;

const SESSION: &str = "02cac002-1a10-4c21-a517-9284b7a8c002";

/// A settings folder with one session of `/workspace` and unrelated files.
fn config_dir() -> TempDir {
    let config_dir = TempDir::new().expect("a temporary folder");
    let folder = config_dir.path().join("projects/-workspace");
    fs::create_dir_all(folder.join("memory")).expect("a folder");
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings/2.1.197/session.jsonl");
    fs::copy(recorded, folder.join(format!("{SESSION}.jsonl"))).expect("the recording exists");
    fs::write(folder.join("agent-a1b2.jsonl"), "{}").expect("a file");
    config_dir
}

#[test]
fn list_returns_title_folder_and_model() {
    let config_dir = config_dir();
    let list = |cwd: Option<&str>| {
        let list_sessions_params = ListSessionsParams { cwd: cwd.map(str::to_owned), limit: None };
        sessions::list(config_dir.path(), &list_sessions_params).sessions
    };
    let all = list(None);
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(all[0].id, SESSION);
    assert_eq!(all[0].title.as_deref(), Some("one SCN:nap"));
    assert_eq!(all[0].cwd.as_deref(), Some("/workspace"));
    assert_eq!(all[0].model.as_deref(), Some("claude-opus-4-8"));
    assert!(all[0].updated_at.is_some());
    assert_eq!(list(Some("/workspace")), all);
    // The same project folder, but another working folder.
    assert!(list(Some("-workspace")).is_empty());
    assert!(list(Some("/elsewhere")).is_empty());
}

#[test]
fn read_returns_events() {
    let config_dir = config_dir();
    let read_session_params = ReadSessionParams { id: SESSION.to_owned(), cwd: None };
    let result =
        sessions::read(config_dir.path(), &read_session_params).expect("the session exists");
    let expected = "recordings/2.1.197/session.events.jsonl";
    check_session(&Path::new(env!("CARGO_MANIFEST_DIR")).join(expected), &result);
}

#[test]
fn unknown_session_returns_typed_error() {
    let config_dir = config_dir();
    check_unknown_sessions(&[testing::SESSION, "../../etc/passwd", "agent-a1b2"], |params| {
        sessions::read(config_dir.path(), params)
    });
}

#[test]
fn truncated_or_unknown_line_is_skipped() {
    let config_dir = config_dir();
    let file = config_dir.path().join(format!("projects/-workspace/{SESSION}.jsonl"));
    let mut content = fs::read(&file).expect("the session exists");
    content.extend_from_slice(b"[1]\n{\"type\":\"user\",\"message\":{\"role\":\"us");
    fs::write(&file, content).expect("a file");
    let read_session_params = ReadSessionParams { id: SESSION.to_owned(), cwd: None };
    assert!(sessions::read(config_dir.path(), &read_session_params).is_ok());
}
