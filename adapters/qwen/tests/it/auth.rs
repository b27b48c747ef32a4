//! The login that settings or variables select, in a temporary home.

use od_adapter_qwen::{detect, models};
use od_protocol::{AuthState, AuthStatus, CredentialKind};
use od_sdk::testing::{TestHome, auth_in, check_auth_name as check};

const COMPLETE: [(&str, &str); 3] = [
    ("OPENAI_API_KEY", "secret"),
    ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1"),
    ("OPENAI_MODEL", "coder"),
];

fn auth(files: &[(&str, &str)], env: &[(&str, &str)]) -> AuthStatus {
    auth_in(files, env, detect::auth)
}

fn selected(auth_type: &str) -> String {
    format!(r#"{{"security":{{"auth":{{"selectedType":"{auth_type}"}}}}}}"#)
}

#[test]
fn login_missing_returns_guidance() {
    let status = auth(&[], &[]);
    check(&status, AuthState::Missing, None);
    assert_eq!(status.guidance.as_deref(), Some("qwen auth"));
    check(&auth(&[(".qwen/settings.json", "{}")], &[]), AuthState::Missing, None);
}

#[test]
fn key_with_url_and_model_is_used() {
    let status = auth(&[], &COMPLETE);
    check(&status, AuthState::Ok, Some("OPENAI_API_KEY"));
    assert_eq!(status.credential.expect("a credential").kind, CredentialKind::ApiKey);
}

#[test]
fn incomplete_key_guidance_names_missing_variables() {
    let status = auth(&[], &COMPLETE[..1]);
    check(&status, AuthState::Missing, None);
    let guidance = status.guidance.expect("guidance");
    assert!(guidance.contains("OPENAI_MODEL and OPENAI_BASE_URL"), "{guidance}");
}

#[test]
fn settings_take_precedence_over_variables() {
    let settings = selected("anthropic");
    let wrong = auth(&[(".qwen/settings.json", &settings)], &COMPLETE);
    check(&wrong, AuthState::Missing, None);
    let guidance = wrong.guidance.expect("guidance");
    assert!(guidance.contains("ANTHROPIC_API_KEY"), "{guidance}");
    let right = auth(&[(".qwen/settings.json", &settings)], &[("ANTHROPIC_API_KEY", "secret")]);
    check(&right, AuthState::Ok, Some("ANTHROPIC_API_KEY"));
}

#[test]
fn key_in_settings_is_used() {
    let by_env =
        r#"{"security":{"auth":{"selectedType":"openai"}},"env":{"OPENAI_API_KEY":"secret"}}"#;
    let status = auth(&[(".qwen/settings.json", by_env)], &[]);
    check(&status, AuthState::Ok, Some("OPENAI_API_KEY in settings.json"));
    let plain = r#"{"security":{"auth":{"selectedType":"openai","apiKey":"secret"}}}"#;
    let status = auth(&[(".qwen/settings.json", plain)], &[]);
    check(&status, AuthState::Ok, Some("security.auth.apiKey in settings.json"));
}

#[test]
fn provider_in_settings_names_key_variable() {
    let settings = r#"{"security":{"auth":{"selectedType":"openai"}},
        "modelProviders":{"openai":[{"id":"big","envKey":"ROUTER_KEY"}]}}"#;
    let status = auth(&[(".qwen/settings.json", settings)], &[("ROUTER_KEY", "secret")]);
    check(&status, AuthState::Ok, Some("ROUTER_KEY"));
}

#[test]
fn account_expires_unless_refreshable() {
    let settings = selected("qwen-oauth");
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
fn qwen_home_replaces_default_folder() {
    let elsewhere = TestHome::new(&[("settings.json", &selected("openai"))], &[]);
    let other = elsewhere.path().display().to_string();
    let status = auth(&[], &[("QWEN_HOME", &other), ("OPENAI_API_KEY", "secret")]);
    check(&status, AuthState::Ok, Some("OPENAI_API_KEY"));
}

#[test]
fn models_come_from_settings_and_variables() {
    let settings =
        r#"{"model":{"name":"big"},"modelProviders":{"openai":[{"id":"big"},{"id":"small"}]}}"#;
    let home = TestHome::new(&[(".qwen/settings.json", settings)], &COMPLETE);
    let list = models::list(home.machine());
    let ids: Vec<&str> = list.models.iter().map(|model| model.id.as_str()).collect();
    assert_eq!(ids, ["big", "small", "coder"]);
    assert_eq!(list.current.as_deref(), Some("big"));
}

#[test]
fn usage_names_the_provider() {
    let provider = |env: &[(&str, &str)]| detect::provider(&auth(&[], env));
    let gemini = [("GEMINI_API_KEY", "secret"), ("GEMINI_MODEL", "m")];
    assert_eq!(provider(&gemini), Some("google"));
    let own_address =
        [("OPENAI_API_KEY", "secret"), ("OPENAI_MODEL", "m"), ("OPENAI_BASE_URL", "http://x")];
    assert_eq!(provider(&own_address), None);
}
