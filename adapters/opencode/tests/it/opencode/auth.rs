//! The login and the credential that pays, in a test home.

use od_protocol::{AuthState, AuthStatus, CredentialKind};
use od_sdk::Adapter;
use od_sdk::testing::{auth_in, check_auth as check};
use opencode_family::OpenCode;

const STORED: &str = ".local/share/opencode/auth.json";
const SETTINGS: &str = ".config/opencode/opencode.json";

fn auth(files: &[(&str, &str)], env: &[(&str, &str)]) -> AuthStatus {
    auth_in(files, env, |machine| OpenCode.auth(machine))
}

#[test]
fn login_is_missing() {
    let status = auth(&[(SETTINGS, "{}")], &[]);
    check(&status, AuthState::Missing, None);
    assert_eq!(status.guidance.as_deref(), Some("opencode auth login"));
}

#[test]
fn stored_key_is_found() {
    let status = auth(&[(STORED, r#"{"openai":{"type":"api","key":"sk-secret"}}"#)], &[]);
    let place = "openai in ~/.local/share/opencode/auth.json";
    check(&status, AuthState::Ok, Some((CredentialKind::ApiKey, place)));
}

#[test]
fn expired_login_without_refresh_is_expired() {
    let login = |refresh: &str| {
        format!(
            r#"{{"anthropic":{{"type":"oauth","access":"sk-secret","refresh":"{refresh}","expires":1000000000000}}}}"#
        )
    };
    let place = "anthropic in ~/.local/share/opencode/auth.json";
    let expired = auth(&[(STORED, &login(""))], &[]);
    check(&expired, AuthState::Expired, Some((CredentialKind::Subscription, place)));
    let renewable = auth(&[(STORED, &login("sk-secret"))], &[]);
    check(&renewable, AuthState::Ok, Some((CredentialKind::Subscription, place)));
}

#[test]
fn variable_is_found() {
    let status = auth(&[], &[("ANTHROPIC_API_KEY", "sk-secret")]);
    check(&status, AuthState::Ok, Some((CredentialKind::ApiKey, "ANTHROPIC_API_KEY")));
}

#[test]
fn default_model_selects_provider() {
    let settings = r#"{"model":"openai/gpt-5"}"#;
    let both = [("ANTHROPIC_API_KEY", "sk-secret"), ("OPENAI_API_KEY", "sk-secret")];
    let status = auth(&[(SETTINGS, settings)], &both);
    check(&status, AuthState::Ok, Some((CredentialKind::ApiKey, "OPENAI_API_KEY")));
    let wrong = auth(&[(SETTINGS, settings)], &both[..1]);
    check(&wrong, AuthState::Missing, None);
    assert!(wrong.guidance.is_some_and(|text| text.contains("openai")));
}

#[test]
fn settings_can_hold_key_or_keyless_provider() {
    let with_key = r#"{"model":"fake/m","provider":{"fake":{"options":{"apiKey":"sk-secret"}}}}"#;
    let place = "provider fake in opencode.json";
    check(
        &auth(&[(SETTINGS, with_key)], &[]),
        AuthState::Ok,
        Some((CredentialKind::ApiKey, place)),
    );
    let inline = auth(&[], &[("OPENCODE_CONFIG_CONTENT", with_key)]);
    check(&inline, AuthState::Ok, Some((CredentialKind::ApiKey, place)));
    let local = r#"{"model":"ollama/m","provider":{"ollama":{"options":{}}}}"#;
    check(&auth(&[(SETTINGS, local)], &[]), AuthState::Unknown, None);
}

#[test]
fn broken_login_file_is_unknown() {
    check(&auth(&[(STORED, "sk-secret {")], &[]), AuthState::Unknown, None);
    let elsewhere = auth(
        &[(STORED, r#"{"openai":{"type":"api","key":"sk-secret"}}"#)],
        &[("XDG_DATA_HOME", "/nowhere")],
    );
    check(&elsewhere, AuthState::Missing, None);
}
