//! Native sessions, from a script that prints the recorded output of the real CLI.

use std::path::Path;

use od_protocol::ErrorKind;
use od_protocol::adapter::ListSessionsParams;
use od_sdk::Adapter;
use od_sdk::testing::{TestHome, check_session, check_unknown_sessions, listed, read_session};
use opencode_family::OpenCode;

/// The session of the recording: a thought, a file, a command that failed, a file that could not be
/// written.
const SESSION: &str = "ses_e1bc12de9ffeCuCr6ifdSFq2hj";
const RECORDINGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/opencode/recordings/1.18.33");

/// Like the real CLI, the script loses the end of a long answer when its stdout is a pipe.
fn home() -> TestHome {
    let script = format!(
        r#"case "$1 $2" in
        "session list") cat '{RECORDINGS}/sessions.json' ;;
        "export {SESSION}") if [ -p /dev/stdout ]; then echo '{{'; else cat '{RECORDINGS}/session.json'; fi ;;
        *) echo "Error: Session not found: $2" >&2; exit 1 ;;
        esac"#
    );
    TestHome::with_cli("opencode", &script)
}

#[test]
fn sessions_are_listed_with_cli() {
    let home = home();
    let sessions = listed(&OpenCode, home.machine(), Some("/workspace"));
    assert_eq!(sessions.len(), 1, "{sessions:?}");
    assert_eq!((sessions[0].id.as_str(), sessions[0].updated_at), (SESSION, Some(1794830719373)));
    assert_eq!(sessions[0].title.as_deref(), Some("The answer is 42."));
    assert!(listed(&OpenCode, home.machine(), Some("/elsewhere")).is_empty());
}

#[test]
fn command_runs_in_requested_folder() {
    let script = r#"printf '[{"id":"ses_1","directory":"%s","updated":1}]' "$(pwd)""#;
    let home = TestHome::with_cli("opencode", script);
    let folder = std::fs::canonicalize(home.path()).expect("a folder").join("project");
    std::fs::create_dir(&folder).expect("a folder");
    let sessions = listed(&OpenCode, home.machine(), folder.to_str());
    assert_eq!(sessions.len(), 1, "{sessions:?}");
}

#[test]
fn empty_output_is_empty_list() {
    let home = TestHome::with_cli("opencode", "exit 0");
    assert!(listed(&OpenCode, home.machine(), None).is_empty());
}

#[test]
fn session_is_read_as_events() {
    let result = read_session(&OpenCode, home().machine(), SESSION).expect("the session exists");
    assert_eq!(result.session.model.as_deref(), Some("fake/fake-model"));
    check_session(&Path::new(RECORDINGS).join("session.events.jsonl"), &result);
}

#[test]
fn unknown_session_has_its_error_kind() {
    let home = home();
    check_unknown_sessions(&["ses_doesnotexist", "--help", "../../etc/passwd"], |params| {
        OpenCode.read_session(home.machine(), params)
    });
}

#[test]
fn failed_command_error_has_hint() {
    for (stderr, is_retryable) in [("the disk is full", false), ("database is locked", true)] {
        let home = TestHome::with_cli("opencode", &format!("echo '{stderr}' >&2; exit 1"));
        let params = ListSessionsParams { cwd: None, limit: None };
        let error = OpenCode.list_sessions(home.machine(), &params).expect_err("no list");
        assert_eq!(error.kind(), ErrorKind::CliCrashed);
        assert!(error.message.contains(stderr), "{}", error.message);
        assert!(error.hint().is_some_and(|hint| hint.contains("opencode session list")));
        assert_eq!(error.data.map(|data| data.retryable), Some(is_retryable), "{stderr}");
    }
}
