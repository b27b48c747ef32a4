//! The login: the CLI's order of credentials, in a temporary home.

use od_adapter_gemini_cli::detect;
use od_protocol::{AuthState, AuthStatus, CredentialKind};
use od_sdk::testing::{TestHome, auth_in, check_auth as check};

const GOOGLE: (&str, &str) =
    (".gemini/settings.json", r#"{"security":{"auth":{"selectedType":"oauth-personal"}}}"#);
const KEY: (&str, &str) =
    (".gemini/settings.json", r#"{"security":{"auth":{"selectedType":"gemini-api-key"}}}"#);
const LOGIN: &str = ".gemini/oauth_creds.json";

fn auth(files: &[(&str, &str)], env: &[(&str, &str)]) -> AuthStatus {
    auth_in(files, env, detect::auth)
}

#[test]
fn login_missing_returns_guidance() {
    let status = auth(&[], &[]);
    check(&status, AuthState::Missing, None);
    assert_eq!(status.guidance.as_deref(), Some("gemini"));
    check(&auth(&[GOOGLE], &[]), AuthState::Missing, None);
    check(&auth(&[KEY], &[]), AuthState::Missing, None);
}

#[test]
fn key_in_variable_is_used() {
    let key = Some((CredentialKind::ApiKey, "GEMINI_API_KEY"));
    check(&auth(&[], &[("GEMINI_API_KEY", "secret")]), AuthState::Ok, key);
    check(&auth(&[KEY], &[("GEMINI_API_KEY", "secret")]), AuthState::Ok, key);
    check(&auth(&[], &[("GEMINI_API_KEY", "")]), AuthState::Missing, None);
}

#[test]
fn key_in_env_file_is_used() {
    let file = |content| auth(&[(".gemini/.env", content)], &[]);
    let key = Some((CredentialKind::ApiKey, "GEMINI_API_KEY in ~/.gemini/.env"));
    check(&file("A=1\nexport GEMINI_API_KEY=secret\n"), AuthState::Ok, key);
    check(&file("# GEMINI_API_KEY=secret\nGEMINI_API_KEY=\n"), AuthState::Missing, None);
}

#[test]
fn encrypted_key_is_unknown() {
    let status = auth(&[KEY, (".gemini/gemini-credentials.json", "secret")], &[]);
    check(&status, AuthState::Unknown, None);
}

#[test]
fn google_login_expires_unless_refreshable() {
    let google = Some((CredentialKind::Subscription, "~/.gemini/oauth_creds.json"));
    let old = r#"{"access_token":"secret","expiry_date":1000000000000}"#;
    let renewable =
        r#"{"access_token":"secret","refresh_token":"secret","expiry_date":1000000000000}"#;
    check(&auth(&[GOOGLE, (LOGIN, renewable)], &[]), AuthState::Ok, google);
    check(&auth(&[GOOGLE, (LOGIN, old)], &[]), AuthState::Expired, google);
    check(&auth(&[GOOGLE, (LOGIN, "{")], &[]), AuthState::Unknown, None);
}

/// The settings take precedence over a key in a variable.
#[test]
fn settings_select_login_over_key() {
    let renewable = r#"{"refresh_token":"secret"}"#;
    let status = auth(&[GOOGLE, (LOGIN, renewable)], &[("GEMINI_API_KEY", "secret")]);
    assert_eq!(status.method.as_deref(), Some("oauth-personal"));
    let status = auth(&[KEY, (LOGIN, renewable)], &[("GEMINI_API_KEY", "secret")]);
    assert_eq!(status.method.as_deref(), Some("gemini-api-key"));
}

/// With a base URL and no auth type the CLI refuses to start (recording `gateway_auth_invalid`).
#[test]
fn base_url_without_auth_type_is_missing() {
    let env = [("GEMINI_API_KEY", "secret"), ("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:1")];
    let status = auth(&[], &env);
    check(&status, AuthState::Missing, None);
    assert!(status.guidance.is_some_and(|text| text.contains("selectedType")));
    check(&auth(&[KEY], &env), AuthState::Ok, Some((CredentialKind::ApiKey, "GEMINI_API_KEY")));
}

#[test]
fn cloud_account_is_unknown() {
    let vertex = [("GOOGLE_GENAI_USE_VERTEXAI", "true"), ("GEMINI_API_KEY", "secret")];
    let status = auth(&[], &vertex);
    check(&status, AuthState::Unknown, Some((CredentialKind::Cloud, "GOOGLE_CLOUD_PROJECT")));
    assert_eq!(status.method.as_deref(), Some("vertex-ai"));
    let other = (".gemini/settings.json", r#"{"security":{"auth":{"selectedType":"brand-new"}}}"#);
    check(&auth(&[other], &[]), AuthState::Unknown, None);
}

#[test]
fn gemini_cli_home_replaces_home() {
    let elsewhere = TestHome::new(&[(".gemini/.env", "GEMINI_API_KEY=secret")], &[]);
    let folder = elsewhere.path().to_string_lossy().into_owned();
    let home = TestHome::new(&[], &[("GEMINI_CLI_HOME", &folder)]);
    assert_eq!(detect::config_dir(home.machine()), elsewhere.path().join(".gemini"));
    assert_eq!(detect::auth(home.machine()).state, AuthState::Ok);
}

#[test]
fn usage_names_the_provider() {
    for (env, expected) in [
        (vec![("GEMINI_API_KEY", "secret")], Some("google")),
        (vec![("GOOGLE_GENAI_USE_VERTEXAI", "true")], Some("google-vertex")),
        (vec![], None),
    ] {
        let home = TestHome::new(&[], &env);
        let machine = home.machine();
        assert_eq!(detect::provider(machine, &detect::auth(machine)), expected, "{env:?}");
    }
}
