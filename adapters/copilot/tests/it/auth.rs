//! Who pays, on a made-up home.

use std::collections::BTreeMap;
use std::fs;

use od_adapter_copilot::detect;
use od_protocol::{AuthState, AuthStatus};
use od_sdk::Machine;
use tempfile::TempDir;

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

fn check(status: &AuthStatus, state: AuthState, credential: Option<&str>) {
    assert_eq!(status.state, state, "{status:?}");
    let actual = status.credential.as_ref().map(|found| found.name.as_str());
    assert_eq!(actual, credential);
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
    let other = TempDir::new().expect("a scratch folder");
    let own = r#"{"last_logged_in_user":{"login":"somebody"}}"#;
    fs::write(other.path().join("config.json"), own).expect("a file");
    let other = other.path().display().to_string();
    let status = auth(&[], &[("COPILOT_HOME", &other)]);
    check(&status, AuthState::Ok, Some("~/.copilot/config.json"));
}
