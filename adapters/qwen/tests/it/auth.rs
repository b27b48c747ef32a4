//! Who pays: the login that settings or variables choose, on a made-up home.

use od_adapter_qwen::{detect, models};
use od_protocol::{AuthState, AuthStatus, CredentialKind};
use od_sdk::testing::{MadeUpHome, auth_in, check_auth_name as check};

const COMPLETE: [(&str, &str); 3] = [
    ("OPENAI_API_KEY", "secret"),
    ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1"),
    ("OPENAI_MODEL", "coder"),
];

fn auth(files: &[(&str, &str)], env: &[(&str, &str)]) -> AuthStatus {
    auth_in(files, env, detect::auth)
}

fn chosen(auth_type: &str) -> String {
    format!(r#"{{"security":{{"auth":{{"selectedType":"{auth_type}"}}}}}}"#)
}

#[test]
fn nobody_is_logged_in() {
    let status = auth(&[], &[]);
    check(&status, AuthState::Missing, None);
    assert_eq!(status.guidance.as_deref(), Some("qwen auth"));
    check(&auth(&[(".qwen/settings.json", "{}")], &[]), AuthState::Missing, None);
}

#[test]
fn a_key_with_address_and_model_pays() {
    let status = auth(&[], &COMPLETE);
    check(&status, AuthState::Ok, Some("OPENAI_API_KEY"));
    assert_eq!(status.credential.expect("somebody pays").kind, CredentialKind::ApiKey);
}

#[test]
fn a_lone_key_says_what_else_it_needs() {
    let status = auth(&[], &COMPLETE[..1]);
    check(&status, AuthState::Missing, None);
    let guidance = status.guidance.expect("there is a way");
    assert!(guidance.contains("OPENAI_MODEL and OPENAI_BASE_URL"), "{guidance}");
}

#[test]
fn the_settings_choose_before_the_variables() {
    let settings = chosen("anthropic");
    let wrong = auth(&[(".qwen/settings.json", &settings)], &COMPLETE);
    check(&wrong, AuthState::Missing, None);
    let guidance = wrong.guidance.expect("there is a way");
    assert!(guidance.contains("ANTHROPIC_API_KEY"), "{guidance}");
    let right = auth(&[(".qwen/settings.json", &settings)], &[("ANTHROPIC_API_KEY", "secret")]);
    check(&right, AuthState::Ok, Some("ANTHROPIC_API_KEY"));
}

#[test]
fn settings_may_hold_the_key() {
    let by_env =
        r#"{"security":{"auth":{"selectedType":"openai"}},"env":{"OPENAI_API_KEY":"secret"}}"#;
    let status = auth(&[(".qwen/settings.json", by_env)], &[]);
    check(&status, AuthState::Ok, Some("OPENAI_API_KEY in settings.json"));
    let plain = r#"{"security":{"auth":{"selectedType":"openai","apiKey":"secret"}}}"#;
    let status = auth(&[(".qwen/settings.json", plain)], &[]);
    check(&status, AuthState::Ok, Some("security.auth.apiKey in settings.json"));
}

#[test]
fn a_provider_of_the_settings_names_its_own_variable() {
    let settings = r#"{"security":{"auth":{"selectedType":"openai"}},
        "modelProviders":{"openai":[{"id":"big","envKey":"ROUTER_KEY"}]}}"#;
    let status = auth(&[(".qwen/settings.json", settings)], &[("ROUTER_KEY", "secret")]);
    check(&status, AuthState::Ok, Some("ROUTER_KEY"));
}

#[test]
fn an_account_runs_out_unless_it_renews_itself() {
    let settings = chosen("qwen-oauth");
    let login = |refresh: &str| {
        format!(
            r#"{{"access_token":"secret","refresh_token":{refresh},"expiry_date":1000000000000}}"#
        )
    };
    let files = |login: &str| {
        auth(&[(".qwen/settings.json", &settings), (".qwen/oauth_creds.json", login)], &[])
    };
    check(&files(&login("null")), AuthState::Expired, Some("~/.qwen/oauth_creds.json"));
    let renewable = files(&login(r#""secret""#));
    check(&renewable, AuthState::Ok, Some("~/.qwen/oauth_creds.json"));
    assert!(renewable.guidance.is_some_and(|guidance| guidance.contains("discontinued")));
    check(&files("secret {"), AuthState::Unknown, None);
}

#[test]
fn another_settings_folder_counts_alone() {
    let elsewhere = MadeUpHome::new(&[("settings.json", &chosen("openai"))], &[]);
    let other = elsewhere.path().display().to_string();
    let status = auth(&[], &[("QWEN_HOME", &other), ("OPENAI_API_KEY", "secret")]);
    check(&status, AuthState::Ok, Some("OPENAI_API_KEY"));
}

#[test]
fn the_models_are_those_that_settings_and_variables_name() {
    let settings =
        r#"{"model":{"name":"big"},"modelProviders":{"openai":[{"id":"big"},{"id":"small"}]}}"#;
    let home = MadeUpHome::new(&[(".qwen/settings.json", settings)], &COMPLETE);
    let list = models::list(home.machine());
    let ids: Vec<&str> = list.models.iter().map(|model| model.id.as_str()).collect();
    assert_eq!(ids, ["big", "small", "coder"]);
    assert_eq!(list.current.as_deref(), Some("big"));
}
