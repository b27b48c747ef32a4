//! Who pays: the CLI's own order of credentials, on a made-up home.

use od_adapter_claude_code::detect;
use od_protocol::{AuthState, AuthStatus, CredentialKind};
use od_sdk::testing::{TestHome, auth_in, check_auth as check};

const FAR: &str = "4102444800000";
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
fn nobody_is_logged_in() {
    let status = auth(&[], &[]);
    check(&status, AuthState::Missing, None);
    assert_eq!(status.guidance.as_deref(), Some("claude auth login"));
}

#[test]
fn a_settings_folder_is_no_login() {
    check(&auth(&[(".claude/settings.json", "{}")], &[]), AuthState::Missing, None);
}

#[test]
fn the_subscription_pays() {
    let login = login(FAR, r#""secret""#);
    let status = auth(&[(".claude/.credentials.json", &login)], &[]);
    check(&status, AuthState::Ok, Some((CredentialKind::Subscription, "claude.ai max")));
}

#[test]
fn a_login_that_ran_out_is_expired_unless_it_renews_itself() {
    let renewable = auth(&[(".claude/.credentials.json", &login(PAST, r#""secret""#))], &[]);
    assert_eq!(renewable.state, AuthState::Ok);
    let expired = auth(&[(".claude/.credentials.json", &login(PAST, "null"))], &[]);
    check(&expired, AuthState::Expired, Some((CredentialKind::Subscription, "claude.ai max")));
    assert_eq!(expired.guidance.as_deref(), Some("claude auth login"));
}

#[test]
fn a_key_comes_before_the_login() {
    let login = login(FAR, r#""secret""#);
    let status = auth(&[(".claude/.credentials.json", &login)], &[("ANTHROPIC_API_KEY", "secret")]);
    check(&status, AuthState::Ok, Some((CredentialKind::ApiKey, "ANTHROPIC_API_KEY")));
}

#[test]
fn a_token_comes_before_a_key_and_a_cloud_before_both() {
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
fn settings_may_hold_the_credential() {
    let helper = auth(&[(".claude/settings.json", r#"{"apiKeyHelper":"print-secret"}"#)], &[]);
    check(&helper, AuthState::Ok, Some((CredentialKind::Helper, "apiKeyHelper in settings.json")));
    let settings = r#"{"env":{"ANTHROPIC_API_KEY":"secret"}}"#;
    let key = auth(&[(".claude/settings.json", settings)], &[]);
    let name = "ANTHROPIC_API_KEY in settings.json";
    check(&key, AuthState::Ok, Some((CredentialKind::ApiKey, name)));
}

#[test]
fn another_settings_folder_counts_alone() {
    let elsewhere = TestHome::new(&[(".credentials.json", &login(FAR, "null"))], &[]);
    let other = elsewhere.path().display().to_string();
    let status = auth(&[], &[("CLAUDE_CONFIG_DIR", &other)]);
    check(&status, AuthState::Ok, Some((CredentialKind::Subscription, "claude.ai max")));
}

#[test]
fn a_broken_file_is_unknown_and_a_keychain_too() {
    let broken = auth(&[(".claude/.credentials.json", "secret {")], &[]);
    check(&broken, AuthState::Unknown, None);
    let keychain = auth(&[(".claude.json", r#"{"oauthAccount":{"emailAddress":"x"}}"#)], &[]);
    check(&keychain, AuthState::Unknown, None);
}

#[test]
fn a_key_of_the_console_is_kept_beside_the_folder() {
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
