//! The login and its credential, in a temporary home.

use od_adapter_claude_code::detect;
use od_protocol::{AuthState, AuthStatus, CredentialKind};
use od_sdk::testing::{TestHome, auth_in, check_auth as check};

const FUTURE: &str = "4102444800000";
const PAST: &str = "1000000000000";

fn auth(files: &[(&str, &str)], env: &[(&str, &str)]) -> AuthStatus {
    auth_in(files, env, detect::auth)
}

fn login(expires_at: &str, refresh: &str) -> String {
    format!(
        r#"{{"claudeAiOauth":{{"accessToken":"secret","refreshToken":{refresh},"expiresAt":{expires_at},"subscriptionType":"max"}}}}"#
    )
}

#[test]
fn login_missing_returns_guidance() {
    let status = auth(&[], &[]);
    check(&status, AuthState::Missing, None);
    assert_eq!(status.guidance.as_deref(), Some("claude auth login"));
}

#[test]
fn settings_folder_alone_is_not_a_login() {
    check(&auth(&[(".claude/settings.json", "{}")], &[]), AuthState::Missing, None);
}

#[test]
fn subscription_login_is_used() {
    let login = login(FUTURE, r#""secret""#);
    let status = auth(&[(".claude/.credentials.json", &login)], &[]);
    check(&status, AuthState::Ok, Some((CredentialKind::Subscription, "claude.ai max")));
}

#[test]
fn login_expires_unless_refreshable() {
    let renewable = auth(&[(".claude/.credentials.json", &login(PAST, r#""secret""#))], &[]);
    assert_eq!(renewable.state, AuthState::Ok);
    let expired = auth(&[(".claude/.credentials.json", &login(PAST, "null"))], &[]);
    check(&expired, AuthState::Expired, Some((CredentialKind::Subscription, "claude.ai max")));
    assert_eq!(expired.guidance.as_deref(), Some("claude auth login"));
}

#[test]
fn key_takes_precedence_over_login() {
    let login = login(FUTURE, r#""secret""#);
    let status = auth(&[(".claude/.credentials.json", &login)], &[("ANTHROPIC_API_KEY", "secret")]);
    check(&status, AuthState::Ok, Some((CredentialKind::ApiKey, "ANTHROPIC_API_KEY")));
}

#[test]
fn cloud_then_token_precede_key() {
    let mut env = vec![("ANTHROPIC_API_KEY", "secret"), ("ANTHROPIC_AUTH_TOKEN", "secret")];
    let status = auth(&[], &env);
    check(&status, AuthState::Ok, Some((CredentialKind::Token, "ANTHROPIC_AUTH_TOKEN")));
    env.push(("CLAUDE_CODE_USE_BEDROCK", "1"));
    let status = auth(&[], &env);
    check(&status, AuthState::Unknown, Some((CredentialKind::Cloud, "CLAUDE_CODE_USE_BEDROCK")));
    env.pop();
    env.push(("CLAUDE_CODE_USE_BEDROCK", "0"));
    check(&auth(&[], &env), AuthState::Ok, Some((CredentialKind::Token, "ANTHROPIC_AUTH_TOKEN")));
}

#[test]
fn credential_in_settings_is_used() {
    let helper = auth(&[(".claude/settings.json", r#"{"apiKeyHelper":"print-secret"}"#)], &[]);
    check(&helper, AuthState::Ok, Some((CredentialKind::Helper, "apiKeyHelper in settings.json")));
    let settings = r#"{"env":{"ANTHROPIC_API_KEY":"secret"}}"#;
    let key = auth(&[(".claude/settings.json", settings)], &[]);
    let name = "ANTHROPIC_API_KEY in settings.json";
    check(&key, AuthState::Ok, Some((CredentialKind::ApiKey, name)));
}

#[test]
fn config_dir_replaces_default_folder() {
    let elsewhere = TestHome::new(&[(".credentials.json", &login(FUTURE, "null"))], &[]);
    let other = elsewhere.path().display().to_string();
    let status = auth(&[], &[("CLAUDE_CONFIG_DIR", &other)]);
    check(&status, AuthState::Ok, Some((CredentialKind::Subscription, "claude.ai max")));
}

#[test]
fn invalid_file_or_keychain_is_unknown() {
    let broken = auth(&[(".claude/.credentials.json", "secret {")], &[]);
    check(&broken, AuthState::Unknown, None);
    let keychain = auth(&[(".claude.json", r#"{"oauthAccount":{"emailAddress":"x"}}"#)], &[]);
    check(&keychain, AuthState::Unknown, None);
}

#[test]
fn console_key_in_state_file_is_used() {
    let status = auth(&[(".claude.json", r#"{"primaryApiKey":"secret"}"#)], &[]);
    check(&status, AuthState::Ok, Some((CredentialKind::ApiKey, "~/.claude.json")));
}

#[test]
fn usage_names_the_provider() {
    for (env, expected) in [
        (vec![("ANTHROPIC_API_KEY", "secret")], Some("anthropic")),
        (vec![("CLAUDE_CODE_USE_BEDROCK", "1")], Some("amazon-bedrock")),
        (vec![("CLAUDE_CODE_USE_VERTEX", "1")], Some("google-vertex")),
        (vec![("ANTHROPIC_API_KEY", "secret"), ("ANTHROPIC_BASE_URL", "http://gateway")], None),
        (vec![], None),
    ] {
        let home = TestHome::new(&[], &env);
        let machine = home.machine();
        assert_eq!(detect::provider(machine, &detect::auth(machine)), expected, "{env:?}");
    }
}
