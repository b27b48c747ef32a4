//! The login, in a temporary home.

use od_adapter_copilot::detect;
use od_protocol::{AuthState, AuthStatus};
use od_sdk::testing::{TestHome, auth_in, check_auth_name as check};

fn auth(files: &[(&str, &str)], env: &[(&str, &str)]) -> AuthStatus {
    auth_in(files, env, detect::auth)
}

#[test]
fn login_missing_returns_guidance() {
    let status = auth(&[], &[]);
    check(&status, AuthState::Missing, None);
    assert_eq!(status.guidance.as_deref(), Some("copilot login"));
    check(&auth(&[(".copilot/config.json", "{}")], &[]), AuthState::Missing, None);
}

#[test]
fn tokens_follow_precedence() {
    let mut env = vec![("GITHUB_TOKEN", "secret")];
    check(&auth(&[], &env), AuthState::Ok, Some("GITHUB_TOKEN"));
    env.push(("GH_TOKEN", "secret"));
    check(&auth(&[], &env), AuthState::Ok, Some("GH_TOKEN"));
    env.push(("COPILOT_GITHUB_TOKEN", "secret"));
    check(&auth(&[], &env), AuthState::Ok, Some("COPILOT_GITHUB_TOKEN"));
}

#[test]
fn classic_token_is_refused() {
    let status = auth(&[], &[("GH_TOKEN", "ghp_secret")]);
    check(&status, AuthState::Missing, Some("GH_TOKEN"));
    assert!(status.guidance.is_some_and(|guidance| guidance.contains("classic")));
}

#[test]
fn custom_provider_precedes_github() {
    let url = ("COPILOT_PROVIDER_BASE_URL", "http://127.0.0.1:1/v1");
    let key = ("COPILOT_PROVIDER_API_KEY", "secret");
    let token = ("GH_TOKEN", "secret");
    check(&auth(&[], &[url, key, token]), AuthState::Ok, Some("COPILOT_PROVIDER_API_KEY"));
    check(&auth(&[], &[url, token]), AuthState::Ok, Some("COPILOT_PROVIDER_BASE_URL"));
    check(&auth(&[], &[key, token]), AuthState::Ok, Some("GH_TOKEN"));
}

#[test]
fn stored_logins_are_used() {
    let own = r#"{"logged_in_users":[{"host":"https://github.com","login":"somebody"}]}"#;
    let status = auth(&[(".copilot/config.json", own)], &[]);
    check(&status, AuthState::Ok, Some("~/.copilot/config.json"));
    let status = auth(&[(".config/gh/hosts.yml", "github.com:\n    user: somebody\n")], &[]);
    check(&status, AuthState::Ok, Some("gh auth login"));
    check(&auth(&[(".copilot/config.json", "secret {")], &[]), AuthState::Unknown, None);
}

#[test]
fn copilot_home_replaces_default_folder() {
    let own = r#"{"last_logged_in_user":{"login":"somebody"}}"#;
    let elsewhere = TestHome::new(&[("config.json", own)], &[]);
    let other = elsewhere.path().display().to_string();
    let status = auth(&[], &[("COPILOT_HOME", &other)]);
    check(&status, AuthState::Ok, Some("~/.copilot/config.json"));
}

#[test]
fn usage_names_the_provider() {
    let provider = |env: &[(&str, &str)]| detect::provider(&auth(&[], env));
    assert_eq!(provider(&[("GH_TOKEN", "secret")]), Some("github-copilot"));
    assert_eq!(provider(&[("COPILOT_PROVIDER_BASE_URL", "http://localhost")]), None);
    assert_eq!(provider(&[]), None);
}
