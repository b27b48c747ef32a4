//! Native sessions: listed and read from a folder as the real CLI leaves it.

use std::fs;
use std::path::Path;

use od_protocol::adapter::{ListSessionsParams, ReadSessionParams};
use od_sdk::{Adapter, Machine};
use pi_family::OMP;
use tempfile::TempDir;

const SESSION: &str = "01a1e2ae-e15b-7625-8036-6271a6236dba";

#[test]
fn session_is_listed_and_read() {
    let home = TempDir::new().expect("a scratch folder");
    let folder = home.path().join(".omp/agent/sessions/-workspace");
    fs::create_dir_all(&folder).expect("a folder");
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("omp/recordings/session.jsonl");
    let name = format!("2026-11-16T04-47-54-203Z_{SESSION}.jsonl");
    fs::copy(recorded, folder.join(name)).expect("the recording is there");
    let machine = Machine { home: home.path().to_owned(), ..Machine::default() };
    let list_sessions_params = ListSessionsParams { cwd: None, limit: None };
    let sessions = OMP.list_sessions(&machine, &list_sessions_params).expect("a list").sessions;
    assert_eq!(sessions.len(), 1, "{sessions:?}");
    assert_eq!(sessions[0].id, SESSION);
    assert_eq!(sessions[0].title.as_deref(), Some("SCN:write please"));
    assert_eq!(sessions[0].model.as_deref(), Some("fake/fake-model"));
    assert_eq!(sessions[0].cwd.as_deref(), Some("/workspace"));
    let read_session_params = ReadSessionParams { id: SESSION.to_owned(), cwd: None };
    let result = OMP.read_session(&machine, &read_session_params).expect("it is there");
    let types: Vec<&str> = result.events.iter().map(|event| event.type_name()).collect();
    let message = ["message_started", "text_delta", "message_stopped"];
    let call = ["tool_call_started", "tool_call_ready", "tool_result"];
    let expected = [&["user_message"][..], &message, &call, &message].concat();
    assert_eq!(types, expected);
}
