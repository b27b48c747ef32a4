//! Native sessions, from a test server that returns recorded replies. Without a server the adapter uses
//! the agent CLI; the tests of `opencode` cover that.

use std::path::Path;

use od_protocol::ErrorKind;
use od_protocol::adapter::ListSessionsParams;
use od_sdk::Adapter;
use od_sdk::testing::{check_session, check_unknown_sessions, listed, read_session};
use opencode_family::OpenCodeHttp;

use crate::http::test_server::{Answer, serve};

const SESSION: &str = "ses_e1e6c0c43ffeltrrG51b7ulM7v";
const SESSIONS: &str = include_str!("../../../opencode-http/recordings/1.18.33/sessions.json");
const INFO: &str = r#"{"id":"ses_e1e6c0c43ffeltrrG51b7ulM7v","directory":"/workspace","title":"lab","time":{"updated":1794785984059}}"#;
const MESSAGES: &str = include_str!("../../../opencode-http/recordings/1.18.33/messages.json");

const ANSWERS: &[Answer] = &[
    ("/session", 200, SESSIONS),
    ("/session?directory=%2Fworkspace", 200, SESSIONS),
    ("/session/ses_e1e6c0c43ffeltrrG51b7ulM7v", 200, INFO),
    ("/session/ses_e1e6c0c43ffeltrrG51b7ulM7v/message", 200, MESSAGES),
    ("/session/ses_doesnotexist", 404, r#"{"name":"NotFoundError"}"#),
];

#[test]
fn server_lists_newest_session_first() {
    let machine = serve(ANSWERS);
    let all = listed(&OpenCodeHttp, &machine, None);
    assert_eq!(all.len(), 6);
    assert!(all.is_sorted_by_key(|session| std::cmp::Reverse(session.updated_at)));
    let here = listed(&OpenCodeHttp, &machine, Some("/workspace"));
    assert_eq!(here.len(), 3);
    let lab = here.iter().find(|session| session.id == SESSION).expect("a session");
    assert_eq!(lab.title.as_deref(), Some("lab"));
    assert!(here.iter().any(|session| session.model.as_deref() == Some("fake/fake-model")));
}

#[test]
fn server_session_is_read_as_events() {
    let result = read_session(&OpenCodeHttp, &serve(ANSWERS), SESSION).expect("the session exists");
    let expected = "opencode-http/recordings/1.18.33/messages.events.jsonl";
    check_session(&Path::new(env!("CARGO_MANIFEST_DIR")).join(expected), &result);
}

#[test]
fn unknown_session_has_its_error_kind() {
    let machine = serve(ANSWERS);
    check_unknown_sessions(&["ses_doesnotexist", "ses_../config", ""], |params| {
        OpenCodeHttp.read_session(&machine, params)
    });
}

#[test]
fn web_page_is_not_a_list() {
    let params = ListSessionsParams { cwd: None, limit: None };
    let error = OpenCodeHttp.list_sessions(&serve(&[]), &params).expect_err("no list");
    assert_eq!(error.kind(), ErrorKind::NetworkUnreachable);
}
