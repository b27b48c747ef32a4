//! The login and its credential, in test homes.

use od_adapter_codex::detect;
use od_protocol::{AuthState, AuthStatus, CredentialKind};
use od_sdk::testing::{TestHome, auth_in, check_auth as check};

/// Tokens with the expiry (`exp`) 1000000000 and 4102444800.
const EXPIRED_TOKEN: &str = "secret.eyJleHAiOjEwMDAwMDAwMDB9.secret";
const VALID_TOKEN: &str = "secret.eyJleHAiOjQxMDI0NDQ4MDB9.secret";

fn auth(files: &[(&str, &str)], env: &[(&str, &str)]) -> AuthStatus {
    auth_in(files, env, detect::auth)
}

fn login(token: &str, refresh: &str) -> String {
    format!(
        r#"{{"auth_mode":"chatgpt","OPENAI_API_KEY":null,"tokens":{{"id_token":"{token}","access_token":"{token}","refresh_token":"{refresh}","account_id":"x"}}}}"#
    )
}

#[test]
fn no_credential_is_missing() {
    let status = auth(&[], &[]);
    check(&status, AuthState::Missing, None);
    assert_eq!(status.guidance.as_deref(), Some("codex login"));
    // Neither a settings folder nor an empty credential file is a login.
    check(&auth(&[(".codex/config.toml", "model = \"x\"\n")], &[]), AuthState::Missing, None);
    check(&auth(&[(".codex/auth.json", "{}")], &[]), AuthState::Missing, None);
}

#[test]
fn stored_tokens_are_subscription() {
    let status = auth(&[(".codex/auth.json", &login(VALID_TOKEN, "secret"))], &[]);
    let name = "ChatGPT in ~/.codex/auth.json";
    check(&status, AuthState::Ok, Some((CredentialKind::Subscription, name)));
    assert_eq!(status.expires_at, Some(4_102_444_800_000));
}

#[test]
fn expired_token_without_refresh_is_expired() {
    let renewable = auth(&[(".codex/auth.json", &login(EXPIRED_TOKEN, "secret"))], &[]);
    assert_eq!(renewable.state, AuthState::Ok);
    let expired = auth(&[(".codex/auth.json", &login(EXPIRED_TOKEN, ""))], &[]);
    assert_eq!(expired.state, AuthState::Expired);
    assert_eq!(expired.guidance.as_deref(), Some("codex login"));
}

#[test]
fn stored_key_is_api_key() {
    let file = r#"{"auth_mode":"apikey","OPENAI_API_KEY":"secret","tokens":null}"#;
    let status = auth(&[(".codex/auth.json", file)], &[]);
    check(&status, AuthState::Ok, Some((CredentialKind::ApiKey, "~/.codex/auth.json")));
    // Older versions do not store the mode.
    let status = auth(&[(".codex/auth.json", r#"{"OPENAI_API_KEY":"secret"}"#)], &[]);
    check(&status, AuthState::Ok, Some((CredentialKind::ApiKey, "~/.codex/auth.json")));
}

#[test]
fn codex_api_key_precedes_login_openai_key_ignored() {
    let login = login(VALID_TOKEN, "secret");
    let file = (".codex/auth.json", login.as_str());
    let status = auth(&[file], &[("CODEX_API_KEY", "secret")]);
    check(&status, AuthState::Ok, Some((CredentialKind::ApiKey, "CODEX_API_KEY")));
    check(&auth(&[], &[("OPENAI_API_KEY", "secret")]), AuthState::Missing, None);
    let status = auth(&[file], &[("OPENAI_API_KEY", "secret")]);
    assert_eq!(status.method.as_deref(), Some("oauth"));
}

#[test]
fn custom_provider_needs_its_own_key() {
    let settings = "model_provider = \"azure\"\n[model_providers.azure]\nname = \"Azure\"\n\
                    env_key = \"AZURE_OPENAI_API_KEY\"\nenv_key_instructions = \"see the portal\"\n";
    let login = login(VALID_TOKEN, "secret");
    let files = [(".codex/config.toml", settings), (".codex/auth.json", login.as_str())];
    let wrong = auth(&files, &[("CODEX_API_KEY", "secret")]);
    check(&wrong, AuthState::Missing, None);
    let guidance = "set AZURE_OPENAI_API_KEY: see the portal";
    assert_eq!(wrong.guidance.as_deref(), Some(guidance));
    let right = auth(&files, &[("AZURE_OPENAI_API_KEY", "secret")]);
    check(&right, AuthState::Ok, Some((CredentialKind::ApiKey, "AZURE_OPENAI_API_KEY")));
}

#[test]
fn providers_without_key_variable() {
    let with =
        |settings: &str, env: &[(&str, &str)]| auth(&[(".codex/config.toml", settings)], env);
    let open =
        "model_provider = \"mine\"\n[model_providers.mine]\nbase_url = \"http://[::1]/v1\"\n";
    check(&with(open, &[]), AuthState::Ok, None);
    check(&with("model_provider = \"ollama\"\n", &[]), AuthState::Ok, None);
    let token = format!("{open}experimental_bearer_token = \"secret\"\n");
    let name = "a token in config.toml";
    check(&with(&token, &[]), AuthState::Ok, Some((CredentialKind::Token, name)));
    let shared = format!("{open}requires_openai_auth = true\n");
    check(&with(&shared, &[]), AuthState::Missing, None);
    let cloud = Some((CredentialKind::Cloud, "amazon-bedrock"));
    check(&with("model_provider = \"amazon-bedrock\"\n", &[]), AuthState::Unknown, cloud);
    check(&with("model_provider = \"gone\"\n", &[]), AuthState::Unknown, None);
}

#[test]
fn unreadable_login_is_unknown() {
    check(&auth(&[(".codex/auth.json", "secret {")], &[]), AuthState::Unknown, None);
    check(&auth(&[(".codex/config.toml", "secret = = 1")], &[]), AuthState::Unknown, None);
    let keyring = "cli_auth_credentials_store = \"keyring\"\n";
    check(&auth(&[(".codex/config.toml", keyring)], &[]), AuthState::Unknown, None);
}

#[test]
fn codex_home_replaces_settings_folder() {
    let elsewhere = TestHome::new(&[("auth.json", r#"{"OPENAI_API_KEY":"secret"}"#)], &[]);
    let other = elsewhere.path().display().to_string();
    let status = auth(&[], &[("CODEX_HOME", &other)]);
    assert_eq!(status.state, AuthState::Ok);
}

#[test]
fn provider_follows_login() {
    let provider = |config: &str| {
        let files: &[(&str, &str)] = &[(".codex/config.toml", config)];
        detect::provider(&auth(files, &[("OPENAI_API_KEY", "secret"), ("CODEX_API_KEY", "secret")]))
    };
    assert_eq!(provider("").as_deref(), Some("openai"));
    let own = "model_provider = \"mine\"\n[model_providers.mine]\nenv_key = \"CODEX_API_KEY\"\n";
    assert_eq!(provider(own), None);
}
