//! Tables of reports and their classification.

use od_protocol::CredentialKind;

use super::extract::{provider_error, status_after};
use super::*;

const RULES: FailureRules = FailureRules {
    vendor: "example",
    adapter_id: "example",
    codes: &[own_rule(&["max_turns"], "max_turns", "raise maxTurns")],
    texts: &[rule(&["Session \"*not found"], ErrorKind::SessionUnknown, "")],
    refusals: &[rule(&["unknown option"], ErrorKind::CliVersionUnsupported, "upgrade it")],
    hints: &[(ErrorKind::ContextExceeded, "shorten it")],
    login: "log in",
    ..FailureRules::DEFAULT
};

fn kind(status: u16, codes: &[&str], text: &str) -> String {
    let status = Some(status).filter(|status| *status > 0);
    let report = FailureReport { status, codes, text, credential: None };
    classify(&report, &RULES).kind.as_str().to_owned()
}

#[test]
fn statuses_codes_and_texts_have_kinds() {
    for (status, codes, text, expected) in [
        (401, &[][..], "no", "auth_expired"),
        (402, &[], "no", "quota_exhausted"),
        (403, &["authentication_failed"], "no", "auth_wrong_account"),
        (404, &[], "no", "model_unknown"),
        (413, &[], "no", "context_exceeded"),
        (429, &[], "slow down", "rate_limited"),
        (429, &[], "You exceeded your current quota", "quota_exhausted"),
        (429, &["insufficient_quota"], "no", "quota_exhausted"),
        (400, &[], "Prompt is too long: 200001 tokens", "context_exceeded"),
        (400, &["context_length_exceeded"], "no", "context_exceeded"),
        (500, &[], "Model not found: a/b", "model_unknown"),
        (529, &[], "no", "network_unreachable"),
        (0, &["rate_limit"], "no", "rate_limited"),
        (0, &[], "Missing API key", "auth_missing"),
        (0, &[], "Invalid API key", "auth_expired"),
        (0, &[], "read ECONNRESET", "network_unreachable"),
        (0, &["max_turns"], "no", "_example.max_turns"),
        (0, &[], "Session \"x\" was not found", "session_unknown"),
        (400, &[], "something else", "_example.api_error"),
    ] {
        assert_eq!(kind(status, codes, text), expected, "{status} {codes:?} {text}");
    }
}

#[test]
fn own_hint_replaces_default() {
    let hint = |codes: &[&str], text: &str| {
        classify(&FailureReport { codes, text, ..FailureReport::default() }, &RULES).hint
    };
    assert_eq!(hint(&["max_turns"], "").as_deref(), Some("raise maxTurns"));
    assert_eq!(hint(&[], "context window").as_deref(), Some("shorten it"));
    assert_eq!(hint(&[], "nothing known"), None);
}

#[test]
fn refused_key_is_named() {
    let key = Credential { kind: CredentialKind::ApiKey, name: "EXAMPLE_KEY".to_owned() };
    let report =
        FailureReport { status: Some(401), credential: Some(&key), ..FailureReport::default() };
    let event = classify_event(&report, &RULES);
    assert!(event.hint.is_some_and(|hint| hint.starts_with("EXAMPLE_KEY was refused")));
    assert_eq!(event.data.expect("a status")["httpStatus"], 401);
    let without_key = FailureReport { credential: None, ..report };
    assert_eq!(classify(&without_key, &RULES).hint.as_deref(), Some("log in"));
}

#[test]
fn stderr_refusal_is_first_matching_line() {
    let event = classify_stderr("warning\nerror: unknown option '--x'.\n", &RULES);
    let event = event.expect("a refusal");
    assert_eq!(event.message, "unknown option '--x'");
    assert_eq!(event.hint.as_deref(), Some("upgrade it"));
    assert_eq!(classify_stderr("connection reset", &RULES), None);
}

#[test]
fn provider_error_is_found_in_text() {
    let error = provider_error(r#"400: {"error":{"message":"too long","code":"x"}} more"#);
    assert_eq!(
        error.map(|error| (error.message, error.code)),
        Some(("too long".to_owned(), Some("x".to_owned())))
    );
    let error = provider_error(r#"{"error":{"message":"no","code":429}}"#);
    assert_eq!(error.and_then(|error| error.status), Some(429));
    assert_eq!(provider_error("{}"), None);
    assert_eq!(status_after("failed (HTTP 401) again", &["(HTTP "]), Some(401));
    assert_eq!(status_after("401: no", &[""]), Some(401));
    assert_eq!(status_after("12 files", &[""]), None);
}
