//! Who pays: the CLI's own order of credentials, on a made-up home.

use std::collections::BTreeMap;
use std::fs;

use od_adapter_claude_code::detect;
use od_protocol::{AuthState, AuthStatus, CredentialKind};
use od_sdk::Machine;
use tempfile::TempDir;

const FAR: &str = "4102444800000";
const PAST: &str = "1000000000000";

/// A home with these files and these variables.
fn auth(files: &[(&str, &str)], env: &[(&str, &str)]) -> AuthStatus {
    let home = TempDir::new().expect("a scratch home");
    for (path, content) in files {
        let path = home.path().join(path);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a folder");
        fs::write(path, content).expect("a file");
    }
    let env: BTreeMap<String, String> =
        env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let machine = Machine { env, home: home.path().to_owned(), ..Machine::default() };
    let status = detect::auth(&machine);
    let shown = format!("{status:?}");
    assert!(!shown.contains("secret"), "a value is shown: {shown}");
    status
}

fn login(expires_at: &str, refresh: &str) -> String {
    format!(
        r#"{{"claudeAiOauth":{{"accessToken":"secret","refreshToken":{refresh},"expiresAt":{expires_at},"subscriptionType":"max"}}}}"#
    )
}

fn check(status: &AuthStatus, state: AuthState, credential: Option<(CredentialKind, &str)>) {
    assert_eq!(status.state, state, "{status:?}");
    let actual = status.credential.as_ref().map(|found| (found.kind, found.name.as_str()));
    assert_eq!(actual, credential);
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
    let home = TempDir::new().expect("a scratch folder");
    fs::write(home.path().join(".credentials.json"), login(FAR, "null")).expect("a file");
    let other = home.path().display().to_string();
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
