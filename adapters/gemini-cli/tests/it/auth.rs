//! Who pays: the CLI's own order of credentials, on a made-up home.

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
fn nobody_is_logged_in() {
    let status = auth(&[], &[]);
    check(&status, AuthState::Missing, None);
    assert_eq!(status.guidance.as_deref(), Some("gemini"));
    check(&auth(&[GOOGLE], &[]), AuthState::Missing, None);
    check(&auth(&[KEY], &[]), AuthState::Missing, None);
}

#[test]
fn a_key_pays() {
    let key = Some((CredentialKind::ApiKey, "GEMINI_API_KEY"));
    check(&auth(&[], &[("GEMINI_API_KEY", "secret")]), AuthState::Ok, key);
    check(&auth(&[KEY], &[("GEMINI_API_KEY", "secret")]), AuthState::Ok, key);
    check(&auth(&[], &[("GEMINI_API_KEY", "")]), AuthState::Missing, None);
}

#[test]
fn a_key_in_the_file_of_variables_pays() {
    let file = |content| auth(&[(".gemini/.env", content)], &[]);
    let key = Some((CredentialKind::ApiKey, "GEMINI_API_KEY in ~/.gemini/.env"));
    check(&file("A=1\nexport GEMINI_API_KEY=secret\n"), AuthState::Ok, key);
    check(&file("# GEMINI_API_KEY=secret\nGEMINI_API_KEY=\n"), AuthState::Missing, None);
}

#[test]
fn a_key_that_the_cli_keeps_is_encrypted() {
    let status = auth(&[KEY, (".gemini/gemini-credentials.json", "secret")], &[]);
    check(&status, AuthState::Unknown, None);
}

#[test]
fn a_login_with_google_renews_itself_or_runs_out() {
    let google = Some((CredentialKind::Subscription, "~/.gemini/oauth_creds.json"));
    let old = r#"{"access_token":"secret","expiry_date":1000000000000}"#;
    let renewable =
        r#"{"access_token":"secret","refresh_token":"secret","expiry_date":1000000000000}"#;
    check(&auth(&[GOOGLE, (LOGIN, renewable)], &[]), AuthState::Ok, google);
    check(&auth(&[GOOGLE, (LOGIN, old)], &[]), AuthState::Expired, google);
    check(&auth(&[GOOGLE, (LOGIN, "{")], &[]), AuthState::Unknown, None);
}

/// What the settings name comes first: the key is there, but the login pays.
#[test]
fn the_settings_decide_between_a_login_and_a_key() {
    let renewable = r#"{"refresh_token":"secret"}"#;
    let status = auth(&[GOOGLE, (LOGIN, renewable)], &[("GEMINI_API_KEY", "secret")]);
    assert_eq!(status.method.as_deref(), Some("oauth-personal"));
    let status = auth(&[KEY, (LOGIN, renewable)], &[("GEMINI_API_KEY", "secret")]);
    assert_eq!(status.method.as_deref(), Some("gemini-api-key"));
}

/// A base URL without a word on how to log in makes the CLI refuse to start (recording
/// `gateway_auth_invalid`).
#[test]
fn a_base_url_alone_is_the_wrong_provider() {
    let env = [("GEMINI_API_KEY", "secret"), ("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:1")];
    let status = auth(&[], &env);
    check(&status, AuthState::Missing, None);
    assert!(status.guidance.is_some_and(|text| text.contains("selectedType")));
    check(&auth(&[KEY], &env), AuthState::Ok, Some((CredentialKind::ApiKey, "GEMINI_API_KEY")));
}

#[test]
fn a_cloud_account_is_not_looked_into() {
    let vertex = [("GOOGLE_GENAI_USE_VERTEXAI", "true"), ("GEMINI_API_KEY", "secret")];
    let status = auth(&[], &vertex);
    check(&status, AuthState::Unknown, Some((CredentialKind::Cloud, "GOOGLE_CLOUD_PROJECT")));
    assert_eq!(status.method.as_deref(), Some("vertex-ai"));
    let other = (".gemini/settings.json", r#"{"security":{"auth":{"selectedType":"brand-new"}}}"#);
    check(&auth(&[other], &[]), AuthState::Unknown, None);
}

#[test]
fn another_home_has_another_login() {
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
