//! Runs attached to a server that is already running.

use od_protocol::ErrorKind;
use od_protocol::adapter::StartRunParams;
use od_sdk::invocation::ProcessUse;
use od_sdk::testing::{Replay, ScriptedHttpRun};
use od_sdk::{Adapter, Exit, Install, PoliteStop};
use opencode_family::OpenCodeHttp;
use opencode_family::http::requests;
use serde_json::{Value, json};

use crate::http::live_run::{events, params};

fn attached(url: &str) -> StartRunParams {
    params(|params| {
        params.adapter_options.insert("serverUrl".to_owned(), json!(url));
        params.env.insert("OPENCODE_SERVER_PASSWORD".to_owned(), "pw".to_owned());
    })
}

fn last_error(replay: &Replay) -> &Value {
    replay.events.iter().rfind(|event| event["type"] == "error").expect("an error")
}

#[test]
fn attached_run_starts_no_process_and_logs_in() {
    let start_run_params = attached("http://localhost:4096/");
    let invocation = OpenCodeHttp.invocation(&start_run_params, &Install::default()).expect("fine");
    assert_eq!(invocation.process, ProcessUse::Attached);
    let mut mapper = events(&start_run_params);
    let mut run = ScriptedHttpRun::begin(&mut mapper);
    let server = run.server().expect("a server");
    assert_eq!(server.url, "http://localhost:4096");
    assert_eq!(server.login, Some(("opencode".to_owned(), "pw".to_owned())));
}

#[test]
fn malformed_server_url_is_rejected() {
    for url in ["https://example.org", "localhost:4096", "http://", "http://a/b", "http://u@h"] {
        let refused = OpenCodeHttp.invocation(&attached(url), &Install::default());
        assert_eq!(refused.expect_err(url).kind(), ErrorKind::ConfigInvalid, "{url}");
    }
}

#[test]
fn failed_health_check_fails_run() {
    for (status, body, kind) in [
        (401, "", "auth_missing"),
        (200, "<html>", "cli_protocol"),
        (200, r#"{"healthy":false}"#, "cli_protocol"),
    ] {
        let mut mapper = events(&attached("http://localhost:4096"));
        let mut run = ScriptedHttpRun::begin(&mut mapper);
        run.reply(requests::HEALTH, status, body);
        let replay = run.finish(&Exit::default());
        assert_eq!(last_error(&replay)["kind"], kind, "{status} {body}");
        assert!(last_error(&replay)["hint"].is_string());
    }
}

#[test]
fn lost_server_error_has_hint() {
    let mut mapper = events(&attached("http://localhost:4096"));
    let mut run = ScriptedHttpRun::begin(&mut mapper);
    run.fail_request(requests::HEALTH, "connection refused");
    let replay = run.finish(&Exit::default());
    let error = last_error(&replay);
    assert_eq!(error["kind"], "network_unreachable");
    assert!(error["message"].as_str().is_some_and(|text| text.contains("connection refused")));
}

#[test]
fn cancel_before_session_ends_run() {
    let mut mapper = events(&attached("http://localhost:4096"));
    let mut run = ScriptedHttpRun::begin(&mut mapper);
    assert_eq!(run.cancel(), PoliteStop::Terminate);
    let replay = run.finish(&Exit::default());
    assert_eq!(replay.events.last().expect("done")["status"], "cancelled");
}
