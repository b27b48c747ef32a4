//! Native sessions: listed and read from a folder as the real CLI leaves it.

use std::fs;
use std::path::Path;

use od_protocol::ErrorKind;
use od_protocol::adapter::{ListSessionsParams, ReadSessionParams};
use od_sdk::{Adapter, Machine};
use pi_family::PI;
use tempfile::TempDir;

const SESSION: &str = "od-one";

/// A home with one session of `/workspace`, and files that are none.
fn home() -> (TempDir, Machine) {
    let home = TempDir::new().expect("a scratch folder");
    let folder = home.path().join(".pi/agent/sessions/--workspace--");
    fs::create_dir_all(&folder).expect("a folder");
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("pi/recordings/session.jsonl");
    let name = format!("2026-11-16T04-47-08-099Z_{SESSION}.jsonl");
    fs::copy(recorded, folder.join(name)).expect("the recording is there");
    fs::write(folder.join("notes.txt"), "x").expect("a file");
    let machine = Machine { home: home.path().to_owned(), ..Machine::default() };
    (home, machine)
}

fn read(machine: &Machine, id: &str) -> Result<Vec<String>, ErrorKind> {
    let read_session_params = ReadSessionParams { id: id.to_owned(), cwd: None };
    let result = PI.read_session(machine, &read_session_params).map_err(|error| error.kind())?;
    assert!(!result.truncated);
    let events = result.events.iter();
    Ok(events.map(|event| serde_json::to_string(event).expect("an event is JSON")).collect())
}

#[test]
fn session_is_listed_with_details() {
    let (_home, machine) = home();
    let list = |cwd: Option<&str>| {
        let list_sessions_params = ListSessionsParams { cwd: cwd.map(str::to_owned), limit: None };
        PI.list_sessions(&machine, &list_sessions_params).expect("a list").sessions
    };
    let all = list(None);
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(all[0].id, SESSION);
    assert_eq!(all[0].title.as_deref(), Some("SCN:write one"));
    assert_eq!(all[0].cwd.as_deref(), Some("/workspace"));
    assert_eq!(all[0].model.as_deref(), Some("fake/fake-model"));
    assert_eq!(list(Some("/workspace")), all);
    assert!(list(Some("/elsewhere")).is_empty());
}

#[test]
fn session_is_read_along_its_branch() {
    let (_home, machine) = home();
    let events = read(&machine, SESSION).expect("it is there");
    let expected = Path::new(env!("CARGO_MANIFEST_DIR")).join("pi/recordings/session.events.jsonl");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&expected, events.join("\n") + "\n").expect("the expectation can be written");
    }
    let expected = fs::read_to_string(expected).expect("the expectation is there");
    assert_eq!(events, expected.lines().collect::<Vec<_>>());
}

#[test]
fn unknown_session_has_its_error_kind() {
    let (_home, machine) = home();
    for id in ["one", "../../etc/passwd", ""] {
        assert_eq!(read(&machine, id), Err(ErrorKind::SessionUnknown), "{id}");
    }
}

#[test]
fn damaged_line_is_skipped() {
    let (home, machine) = home();
    let folder = home.path().join(".pi/agent/sessions/--workspace--");
    let file = folder.join(format!("2026-11-16T04-47-08-099Z_{SESSION}.jsonl"));
    let whole = read(&machine, SESSION).expect("it is there");
    let mut content = fs::read(&file).expect("the session is there");
    content.extend_from_slice(b"[1]\n{\"type\":\"message\",\"message\":{\"role\":\"us");
    fs::write(&file, content).expect("a file");
    assert_eq!(read(&machine, SESSION), Ok(whole));
}

/// A person went back and asked something else; an answer that failed was asked for again.
#[test]
fn abandoned_branch_is_left_out() {
    let (home, machine) = home();
    let folder = home.path().join(".pi/agent/sessions/--workspace--");
    let message = |id: &str, parent: &str, role: &str, text: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":"{parent}","message":{{"role":"{role}","content":"{text}"}}}}"#
        )
    };
    let lines = [
        r#"{"type":"session","version":3,"id":"branch","cwd":"/workspace"}"#.to_owned(),
        message("a", "", "user", "first"),
        message("b", "a", "assistant", "left behind"),
        message("c", "a", "assistant", "failed"),
        r#"{"type":"context_edit","id":"d","parentId":"c","targetId":"c","replacement":null}"#
            .to_owned(),
        message("e", "d", "assistant", "good"),
    ];
    fs::write(folder.join("2026-11-16T05-00-00-000Z_branch.jsonl"), lines.join("\n"))
        .expect("a file");
    let events = read(&machine, "branch").expect("it is there").concat();
    assert!(events.contains("first") && events.contains("good"), "{events}");
    assert!(!events.contains("left behind") && !events.contains("failed"), "{events}");
}
