//! Native sessions: listed and read from session files of the real CLI.

use std::fs;
use std::path::Path;

use od_adapter_codex::sessions;
use od_protocol::adapter::{ListSessionsParams, ReadSessionParams};
use od_sdk::testing::{self, check_session, check_unknown_sessions};
use tempfile::TempDir;

const SESSION: &str = "01a1e2b1-cc29-7640-b7ad-563778332438";

fn recordings() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/recordings/0.166.0"))
}

/// A settings folder with one session of `/workspace` and unrelated files.
fn config_dir() -> TempDir {
    let config_dir = TempDir::new().expect("a scratch folder");
    let folder = config_dir.path().join("sessions/2026/11/16");
    fs::create_dir_all(&folder).expect("a folder");
    let name = format!("rollout-2026-11-16T04-51-05-{SESSION}.jsonl");
    let recorded = recordings().join("session.jsonl");
    fs::copy(recorded, folder.join(name)).expect("the recording exists");
    fs::write(folder.join("rollout-x.jsonl"), "{}").expect("a file");
    fs::write(folder.join("notes.txt"), "{}").expect("a file");
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
    assert_eq!(all[0].title.as_deref(), Some("SCN:multi CWD=/workspace"));
    assert_eq!(all[0].cwd.as_deref(), Some("/workspace"));
    assert_eq!(all[0].model.as_deref(), Some("gpt-5.5"));
    assert_eq!(list(Some("/workspace")), all);
    assert!(list(Some("/elsewhere")).is_empty());
}

#[test]
fn read_returns_events() {
    let config_dir = config_dir();
    let read_session_params = ReadSessionParams { id: SESSION.to_owned(), cwd: None };
    let result =
        sessions::read(config_dir.path(), &read_session_params).expect("the session exists");
    check_session(&recordings().join("session.events.jsonl"), &result);
}

#[test]
fn unknown_session_returns_typed_error() {
    let config_dir = config_dir();
    check_unknown_sessions(&[testing::SESSION, "../../etc/passwd", "x"], |params| {
        sessions::read(config_dir.path(), params)
    });
}
