//! The credential that pays, by Pi's own order of precedence, in a test home.

use od_protocol::{AuthState, AuthStatus, CredentialKind};
use od_sdk::testing::{TestHome, auth_in, check_auth as check};
use pi_family::pi::auth;

const FUTURE_MS: u64 = 4_102_444_800_000;
const PAST_MS: u64 = 1_000_000_000_000;

fn auth(files: &[(&str, &str)], env: &[(&str, &str)]) -> AuthStatus {
    auth_in(files, env, auth::auth)
}

fn oauth(expires: u64, refresh: &str) -> String {
    format!(
        r#"{{"anthropic":{{"type":"oauth","access":"secret","refresh":"{refresh}","expires":{expires}}}}}"#
    )
}

#[test]
fn login_is_missing() {
    let status = auth(&[(".pi/agent/settings.json", "{}"), (".pi/agent/auth.json", "{}")], &[]);
    check(&status, AuthState::Missing, None);
    assert!(status.guidance.is_some_and(|guidance| guidance.contains("/login")));
}

#[test]
fn expired_login_without_refresh_is_expired() {
    let name = "~/.pi/agent/auth.json (anthropic)";
    let subscription = Some((CredentialKind::Subscription, name));
    let fresh = auth(&[(".pi/agent/auth.json", &oauth(FUTURE_MS, "secret"))], &[]);
    check(&fresh, AuthState::Ok, subscription);
    let renewable = auth(&[(".pi/agent/auth.json", &oauth(PAST_MS, "secret"))], &[]);
    check(&renewable, AuthState::Ok, subscription);
    let expired = auth(&[(".pi/agent/auth.json", &oauth(PAST_MS, ""))], &[]);
    check(&expired, AuthState::Expired, subscription);
    assert!(expired.guidance.is_some_and(|guidance| guidance.contains("/login")));
}

#[test]
fn stored_login_comes_before_variable() {
    let stored = [(".pi/agent/auth.json", oauth(FUTURE_MS, "secret"))];
    let stored = stored.each_ref().map(|(path, content)| (*path, content.as_str()));
    let status = auth(&stored, &[("OPENAI_API_KEY", "secret")]);
    let name = "~/.pi/agent/auth.json (anthropic)";
    check(&status, AuthState::Ok, Some((CredentialKind::Subscription, name)));
}

#[test]
fn default_provider_is_preferred() {
    let settings = (".pi/agent/settings.json", r#"{"defaultProvider":"openai"}"#);
    let both = [("ANTHROPIC_API_KEY", "secret"), ("OPENAI_API_KEY", "secret")];
    let status = auth(&[settings], &both);
    check(&status, AuthState::Ok, Some((CredentialKind::ApiKey, "OPENAI_API_KEY")));
    // Pi takes another one when the chosen one has no key.
    let status = auth(&[settings], &both[..1]);
    check(&status, AuthState::Ok, Some((CredentialKind::ApiKey, "ANTHROPIC_API_KEY")));
}

#[test]
fn models_file_can_hold_key() {
    let models = r#"{"providers":{"free":{"baseUrl":"http://x"},"mine":{"apiKey":"secret"}}}"#;
    let status = auth(&[(".pi/agent/models.json", models)], &[]);
    let name = "~/.pi/agent/models.json (mine)";
    check(&status, AuthState::Ok, Some((CredentialKind::ApiKey, name)));
}

#[test]
fn broken_login_file_is_unknown() {
    check(&auth(&[(".pi/agent/auth.json", "secret {")], &[]), AuthState::Unknown, None);
}

#[test]
fn settings_folder_variable_is_respected() {
    let key = r#"{"groq":{"type":"api_key","key":"secret"}}"#;
    let other = TestHome::new(&[("auth.json", key)], &[]);
    let path = other.path().display().to_string();
    let status = auth(
        &[(".pi/agent/auth.json", &oauth(FUTURE_MS, "secret"))],
        &[("PI_CODING_AGENT_DIR", &path)],
    );
    let name = "~/.pi/agent/auth.json (groq)";
    check(&status, AuthState::Ok, Some((CredentialKind::ApiKey, name)));
}
