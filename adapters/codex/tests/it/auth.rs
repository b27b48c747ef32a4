//! Who pays: the CLI's own order of credentials, on a made-up home.

use od_adapter_codex::detect;
use od_protocol::{AuthState, AuthStatus, CredentialKind};
use od_sdk::testing::{TestHome, auth_in, check_auth as check};

/// Tokens whose payload says `exp`: 1000000000 and 4102444800.
const PAST: &str = "secret.eyJleHAiOjEwMDAwMDAwMDB9.secret";
const FAR: &str = "secret.eyJleHAiOjQxMDI0NDQ4MDB9.secret";

fn auth(files: &[(&str, &str)], env: &[(&str, &str)]) -> AuthStatus {
    auth_in(files, env, detect::auth)
}

fn login(token: &str, refresh: &str) -> String {
    format!(
        r#"{{"auth_mode":"chatgpt","OPENAI_API_KEY":null,"tokens":{{"id_token":"{token}","access_token":"{token}","refresh_token":"{refresh}","account_id":"x"}}}}"#
    )
}

#[test]
fn nobody_is_logged_in() {
    let status = auth(&[], &[]);
    check(&status, AuthState::Missing, None);
    assert_eq!(status.guidance.as_deref(), Some("codex login"));
    // A settings folder is no login, and neither is an emptied file.
    check(&auth(&[(".codex/config.toml", "model = \"x\"\n")], &[]), AuthState::Missing, None);
    check(&auth(&[(".codex/auth.json", "{}")], &[]), AuthState::Missing, None);
}

#[test]
fn the_subscription_pays() {
    let status = auth(&[(".codex/auth.json", &login(FAR, "secret"))], &[]);
    let name = "ChatGPT in ~/.codex/auth.json";
    check(&status, AuthState::Ok, Some((CredentialKind::Subscription, name)));
    assert_eq!(status.expires_at, Some(4_102_444_800_000));
}

#[test]
fn a_login_that_ran_out_is_expired_unless_it_renews_itself() {
    let renewable = auth(&[(".codex/auth.json", &login(PAST, "secret"))], &[]);
    assert_eq!(renewable.state, AuthState::Ok);
    let expired = auth(&[(".codex/auth.json", &login(PAST, ""))], &[]);
    assert_eq!(expired.state, AuthState::Expired);
    assert_eq!(expired.guidance.as_deref(), Some("codex login"));
}

#[test]
fn a_stored_key_is_a_key() {
    let file = r#"{"auth_mode":"apikey","OPENAI_API_KEY":"secret","tokens":null}"#;
    let status = auth(&[(".codex/auth.json", file)], &[]);
    check(&status, AuthState::Ok, Some((CredentialKind::ApiKey, "~/.codex/auth.json")));
    // Older versions name no mode.
    let status = auth(&[(".codex/auth.json", r#"{"OPENAI_API_KEY":"secret"}"#)], &[]);
    check(&status, AuthState::Ok, Some((CredentialKind::ApiKey, "~/.codex/auth.json")));
}

#[test]
fn the_key_of_the_variable_comes_before_the_login_and_openais_own_is_none() {
    let login = login(FAR, "secret");
    let file = (".codex/auth.json", login.as_str());
    let status = auth(&[file], &[("CODEX_API_KEY", "secret")]);
    check(&status, AuthState::Ok, Some((CredentialKind::ApiKey, "CODEX_API_KEY")));
    check(&auth(&[], &[("OPENAI_API_KEY", "secret")]), AuthState::Missing, None);
    let status = auth(&[file], &[("OPENAI_API_KEY", "secret")]);
    assert_eq!(status.method.as_deref(), Some("oauth"));
}

#[test]
fn another_provider_wants_its_own_key() {
    let settings = "model_provider = \"azure\"\n[model_providers.azure]\nname = \"Azure\"\n\
                    env_key = \"AZURE_OPENAI_API_KEY\"\nenv_key_instructions = \"see the portal\"\n";
    let login = login(FAR, "secret");
    let files = [(".codex/config.toml", settings), (".codex/auth.json", login.as_str())];
    let wrong = auth(&files, &[("CODEX_API_KEY", "secret")]);
    check(&wrong, AuthState::Missing, None);
    let guidance = "set AZURE_OPENAI_API_KEY: see the portal";
    assert_eq!(wrong.guidance.as_deref(), Some(guidance));
    let right = auth(&files, &[("AZURE_OPENAI_API_KEY", "secret")]);
    check(&right, AuthState::Ok, Some((CredentialKind::ApiKey, "AZURE_OPENAI_API_KEY")));
}

#[test]
fn providers_without_a_key_of_their_own() {
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
fn what_cannot_be_read_is_unknown() {
    check(&auth(&[(".codex/auth.json", "secret {")], &[]), AuthState::Unknown, None);
    check(&auth(&[(".codex/config.toml", "secret = = 1")], &[]), AuthState::Unknown, None);
    let keyring = "cli_auth_credentials_store = \"keyring\"\n";
    check(&auth(&[(".codex/config.toml", keyring)], &[]), AuthState::Unknown, None);
}

#[test]
fn another_settings_folder_counts_alone() {
    let elsewhere = TestHome::new(&[("auth.json", r#"{"OPENAI_API_KEY":"secret"}"#)], &[]);
    let other = elsewhere.path().display().to_string();
    let status = auth(&[], &[("CODEX_HOME", &other)]);
    assert_eq!(status.state, AuthState::Ok);
}

#[test]
fn usage_names_the_provider() {
    let provider = |config: &str| {
        let files: &[(&str, &str)] = &[(".codex/config.toml", config)];
        detect::provider(&auth(files, &[("OPENAI_API_KEY", "secret"), ("CODEX_API_KEY", "secret")]))
    };
    assert_eq!(provider("").as_deref(), Some("openai"));
    let own = "model_provider = \"mine\"\n[model_providers.mine]\nenv_key = \"CODEX_API_KEY\"\n";
    assert_eq!(provider(own), None);
}
