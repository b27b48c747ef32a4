//! Who pays, on a made-up home.

use od_adapter_copilot::detect;
use od_protocol::{AuthState, AuthStatus};
use od_sdk::testing::{MadeUpHome, auth_in, check_auth_name as check};

fn auth(files: &[(&str, &str)], env: &[(&str, &str)]) -> AuthStatus {
    auth_in(files, env, detect::auth)
}

#[test]
fn nobody_is_logged_in() {
    let status = auth(&[], &[]);
    check(&status, AuthState::Missing, None);
    assert_eq!(status.guidance.as_deref(), Some("copilot login"));
    check(&auth(&[(".copilot/config.json", "{}")], &[]), AuthState::Missing, None);
}

#[test]
fn tokens_in_their_order() {
    let mut env = vec![("GITHUB_TOKEN", "secret")];
    check(&auth(&[], &env), AuthState::Ok, Some("GITHUB_TOKEN"));
    env.push(("GH_TOKEN", "secret"));
    check(&auth(&[], &env), AuthState::Ok, Some("GH_TOKEN"));
    env.push(("COPILOT_GITHUB_TOKEN", "secret"));
    check(&auth(&[], &env), AuthState::Ok, Some("COPILOT_GITHUB_TOKEN"));
}

#[test]
fn a_classic_token_is_of_the_wrong_kind() {
    let status = auth(&[], &[("GH_TOKEN", "ghp_secret")]);
    check(&status, AuthState::Missing, Some("GH_TOKEN"));
    assert!(status.guidance.is_some_and(|guidance| guidance.contains("classic")));
}

#[test]
fn a_provider_of_ones_own_comes_before_github() {
    let url = ("COPILOT_PROVIDER_BASE_URL", "http://127.0.0.1:1/v1");
    let key = ("COPILOT_PROVIDER_API_KEY", "secret");
    let token = ("GH_TOKEN", "secret");
    check(&auth(&[], &[url, key, token]), AuthState::Ok, Some("COPILOT_PROVIDER_API_KEY"));
    check(&auth(&[], &[url, token]), AuthState::Ok, Some("COPILOT_PROVIDER_BASE_URL"));
    check(&auth(&[], &[key, token]), AuthState::Ok, Some("GH_TOKEN"));
}

#[test]
fn logins_that_were_left_behind() {
    let own = r#"{"logged_in_users":[{"host":"https://github.com","login":"somebody"}]}"#;
    let status = auth(&[(".copilot/config.json", own)], &[]);
    check(&status, AuthState::Ok, Some("~/.copilot/config.json"));
    let status = auth(&[(".config/gh/hosts.yml", "github.com:\n    user: somebody\n")], &[]);
    check(&status, AuthState::Ok, Some("gh auth login"));
    check(&auth(&[(".copilot/config.json", "secret {")], &[]), AuthState::Unknown, None);
}

#[test]
fn another_settings_folder_counts_alone() {
    let own = r#"{"last_logged_in_user":{"login":"somebody"}}"#;
    let elsewhere = MadeUpHome::new(&[("config.json", own)], &[]);
    let other = elsewhere.path().display().to_string();
    let status = auth(&[], &[("COPILOT_HOME", &other)]);
    check(&status, AuthState::Ok, Some("~/.copilot/config.json"));
}
