//! The login and its credential: variables, settings and files in the CLI's order of precedence.
//! Reads local files only and never returns a secret.

mod settings;

use std::path::{Path, PathBuf};

use od_protocol::{AuthState, AuthStatus, Credential, CredentialKind};
use od_sdk::Machine;
use od_sdk::auth::{self, CredentialFile, EnvCredential, Login};

use crate::invocation::API_KEY_VARIABLE;
use crate::manifest;
use settings::{Provider, Settings};

/// Credentials in variables, which take precedence over the stored login.
const ENV_CREDENTIALS: &[EnvCredential] = &[
    EnvCredential { variable: API_KEY_VARIABLE, kind: CredentialKind::ApiKey, method: "api_key" },
    EnvCredential { variable: "CODEX_ACCESS_TOKEN", kind: CredentialKind::Token, method: "token" },
];

/// The CLI's settings folder.
pub fn config_dir(machine: &Machine) -> PathBuf {
    machine.dir("CODEX_HOME", ".codex")
}

/// The provider of the model; `None` for a custom provider.
pub fn provider(auth: &AuthStatus) -> Option<String> {
    let credential = auth.credential.as_ref()?;
    match (auth.method.as_deref()?, credential.kind) {
        ("provider", CredentialKind::Cloud) => Some(credential.name.clone()),
        ("provider", _) => None,
        _ => Some("openai".to_owned()),
    }
}

/// Returns the state of the login and the credential that a run would use.
pub fn auth(machine: &Machine) -> AuthStatus {
    let config_dir = config_dir(machine);
    match Settings::read(&config_dir.join("config.toml")) {
        Err(reason) => auth::unknown(reason),
        Ok(settings) => match &settings.provider {
            Provider::OpenAi => openai_login(machine, &config_dir, settings.may_use_keyring),
            Provider::Key { variable, instructions } => {
                provider_key(machine, variable, instructions.as_deref())
            }
            Provider::Token => {
                Login::new("provider", CredentialKind::Token, "a token in config.toml")
                    .status(&manifest::auth(), auth::now())
            }
            Provider::Cloud(name) => cloud(name),
            Provider::WithoutLogin => auth::not_needed(),
            Provider::Unknown(name) => auth::unknown(format!(
                "config.toml selects the provider {name:?} but does not define it"
            )),
        },
    }
}

fn openai_login(machine: &Machine, config_dir: &Path, may_use_keyring: bool) -> AuthStatus {
    if let Some(login) = auth::env_login(machine, ENV_CREDENTIALS) {
        return login.status(&manifest::auth(), auth::now());
    }
    let file = match CredentialFile::read(&config_dir.join("auth.json")) {
        Err(error) => return auth::unknown(error.to_string()),
        Ok(file) => file,
    };
    match file.as_ref().and_then(|file| stored_login(file, machine)) {
        Some(login) => login.status(&manifest::auth(), auth::now()),
        None if may_use_keyring => auth::unknown(
            "the login is in the system keyring; run `codex login status` to check it",
        ),
        None => auth::missing(&manifest::auth()),
    }
}

/// The login stored by `codex login`: a key, or the tokens of a subscription. `codex login status`
/// reports expired tokens as valid, so the expiry is read from the token itself.
fn stored_login(file: &CredentialFile, machine: &Machine) -> Option<Login> {
    let place = display_path(file.path(), machine);
    let is_key = file.plain_text("/auth_mode") == Some("apikey") || !file.has("/tokens");
    if is_key && file.has("/OPENAI_API_KEY") {
        return Some(Login::new("api_key", CredentialKind::ApiKey, place));
    }
    if !file.has("/tokens/access_token") {
        return None;
    }
    let expires_at =
        file.token_expiry("/tokens/access_token").or(file.token_expiry("/tokens/id_token"));
    let login = Login::new("oauth", CredentialKind::Subscription, format!("ChatGPT in {place}"));
    Some(login.expiring(expires_at, file.has("/tokens/refresh_token")))
}

/// The login of a custom provider, whose key is in the variable that the settings name.
fn provider_key(machine: &Machine, variable: &str, instructions: Option<&str>) -> AuthStatus {
    if machine.var(variable).is_some() {
        return Login::new("provider", CredentialKind::ApiKey, variable)
            .status(&manifest::auth(), auth::now());
    }
    let guidance = match instructions {
        Some(instructions) => format!("set {variable}: {instructions}"),
        None => format!("set {variable}"),
    };
    AuthStatus { guidance: Some(guidance), ..auth::missing(&manifest::auth()) }
}

/// Credentials of a cloud provider cannot be checked without the network.
fn cloud(name: &str) -> AuthStatus {
    AuthStatus {
        method: Some("provider".to_owned()),
        credential: Some(Credential { kind: CredentialKind::Cloud, name: name.to_owned() }),
        state: AuthState::Unknown,
        ..auth::unknown(format!("the adapter does not check the credentials of {name}"))
    }
}

fn display_path(path: &Path, machine: &Machine) -> String {
    match path.strip_prefix(&machine.home) {
        Ok(below) => format!("~/{}", below.display()),
        Err(_) => path.display().to_string(),
    }
}
