//! Logins in files, without revealing secrets.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use od_protocol::AuthState;
use od_sdk::auth::{CredentialFile, now};
use od_sdk::{Adapter, Machine};

use super::scratch::{PlainAdapter, Scratch};

fn token(expires_at_seconds: u64) -> String {
    let payload = URL_SAFE_NO_PAD.encode(format!(r#"{{"exp":{expires_at_seconds}}}"#));
    format!("e30.{payload}.canary")
}

#[test]
fn token_in_file_is_valid_until_expiry() {
    let scratch = Scratch::new();
    let adapter = PlainAdapter::new();
    let state = |expires_at: u64| {
        let content = format!(r#"{{"token":"{}"}}"#, token(expires_at));
        scratch.file("home/.made-up/auth.json", &content);
        adapter.auth(&scratch.machine())
    };
    let valid = state(now() / 1000 + 3600);
    assert_eq!(valid.state, AuthState::Ok);
    assert_eq!(valid.method.as_deref(), Some("oauth"));
    let expired = state(now() / 1000 - 3600);
    assert_eq!(expired.state, AuthState::Expired);
    assert_eq!(expired.guidance.as_deref(), Some("od-made-up-cli login"));
    assert!(!format!("{valid:?}{expired:?}").contains("canary"));
}

#[test]
fn variable_of_run_counts_as_login() {
    let scratch = Scratch::new();
    let adapter = PlainAdapter::new();
    assert_eq!(adapter.auth(&scratch.machine()).state, AuthState::Missing);
    let run_env = [("MADE_UP_API_KEY".to_owned(), "canary".to_owned())].into();
    let machine: Machine = scratch.machine().with_env(&run_env);
    let status = adapter.auth(&machine);
    assert_eq!(status.state, AuthState::Ok);
    assert!(!format!("{status:?}").contains("canary"));
}

#[test]
fn credential_file_answers_without_secrets() {
    let scratch = Scratch::new();
    let path = scratch.file(
        "auth.json",
        r#"{"oauth":{"accessToken":"canary","refreshToken":"","expiresAt":1900000000000,
            "seconds":1900000000,"text":"1900000000","written":"2030-03-17T17:46:40Z",
            "plan":"pro"},"providers":{"a":{},"b":{}},"empty":{}}"#,
    );
    let file = CredentialFile::read(&path).expect("readable").expect("it exists");
    assert!(file.has("/oauth/accessToken") && file.has("/providers"));
    for absent in ["/oauth/refreshToken", "/oauth/none", "/empty"] {
        assert!(!file.has(absent), "{absent}");
    }
    for time in ["expiresAt", "seconds", "text", "written"] {
        assert_eq!(file.time(&format!("/oauth/{time}")), Some(1_900_000_000_000), "{time}");
    }
    assert_eq!(file.time("/oauth/plan"), None);
    assert_eq!(file.plain_text("/oauth/plan"), Some("pro"));
    assert_eq!(file.names("/providers"), ["a", "b"]);
    assert!(!format!("{file:?}").contains("canary"));
}

#[test]
fn invalid_credential_files_are_errors() {
    let scratch = Scratch::new();
    assert!(CredentialFile::read(&scratch.at("nowhere")).expect("no error").is_none());
    let broken = scratch.file("broken.json", r#"{"token": canary"#);
    let long = scratch.file("long.json", &format!(r#""{}""#, "canary".repeat(1 << 20)));
    for path in [broken, long, scratch.at("home")] {
        let error = CredentialFile::read(&path).expect_err("unreadable").to_string();
        assert!(error.contains(&path.display().to_string()), "{error}");
        assert!(!error.contains("canary"), "{error}");
    }
}
