//! Who pays: variables, settings and files in the CLI's own order. Reads local files only, and
//! never gives out a value.

mod settings;

use std::path::{Path, PathBuf};

use od_protocol::{AuthState, AuthStatus, Credential, CredentialKind};
use od_sdk::Machine;
use od_sdk::auth::{self, CredentialFile, EnvCredential, Login};

use crate::invocation::KEY_VARIABLE;
use crate::manifest;
use settings::{Provider, Settings};

/// The variables that come before the login of the person.
const KEYS: &[EnvCredential] = &[
    EnvCredential { variable: KEY_VARIABLE, kind: CredentialKind::ApiKey, method: "api_key" },
    EnvCredential { variable: "CODEX_ACCESS_TOKEN", kind: CredentialKind::Token, method: "token" },
];

/// The CLI's settings folder.
pub fn config_dir(machine: &Machine) -> PathBuf {
    machine.dir("CODEX_HOME", ".codex")
}

/// The company that runs the model; not known for a provider of the user's own settings.
pub fn provider(auth: &AuthStatus) -> Option<String> {
    let credential = auth.credential.as_ref()?;
    match (auth.method.as_deref()?, credential.kind) {
        ("provider", CredentialKind::Cloud) => Some(credential.name.clone()),
        ("provider", _) => None,
        _ => Some("openai".to_owned()),
    }
}

/// The state of the login, and the credential that would pay.
pub fn auth(machine: &Machine) -> AuthStatus {
    let config_dir = config_dir(machine);
    match Settings::read(&config_dir.join("config.toml")) {
        Err(reason) => auth::unknown(reason),
        Ok(settings) => match &settings.provider {
            Provider::OpenAi => openai(machine, &config_dir, settings.has_keyring),
            Provider::Key { variable, instructions } => {
                provider_key(machine, variable, instructions.as_deref())
            }
            Provider::Token => {
                Login::new("provider", CredentialKind::Token, "a token in config.toml")
                    .status(&manifest::auth(), auth::now())
            }
            Provider::Cloud(name) => cloud(name),
            Provider::Open => auth::not_needed(),
            Provider::Unknown(name) => auth::unknown(format!(
                "config.toml chooses the provider {name:?} and does not say what it is"
            )),
        },
    }
}

fn openai(machine: &Machine, config_dir: &Path, has_keyring: bool) -> AuthStatus {
    if let Some(login) = auth::env_login(machine, KEYS) {
        return login.status(&manifest::auth(), auth::now());
    }
    let file = match CredentialFile::read(&config_dir.join("auth.json")) {
        Err(error) => return auth::unknown(error.to_string()),
        Ok(file) => file,
    };
    match file.as_ref().and_then(|file| stored(file, machine)) {
        Some(login) => login.status(&manifest::auth(), auth::now()),
        None if has_keyring => {
            auth::unknown("the login is in the keyring: `codex login status` tells its state")
        }
        None => auth::missing(&manifest::auth()),
    }
}

/// The login that `codex login` left behind: a key, or tokens of a subscription. `codex login
/// status` calls tokens valid that ran out long ago, so the date is read from the token itself.
fn stored(file: &CredentialFile, machine: &Machine) -> Option<Login> {
    let place = shown(file.path(), machine);
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

/// A provider of the person's own takes its key from a variable of its own.
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

/// Whether the cloud lets a run in cannot be told from here.
fn cloud(name: &str) -> AuthStatus {
    AuthStatus {
        method: Some("provider".to_owned()),
        credential: Some(Credential { kind: CredentialKind::Cloud, name: name.to_owned() }),
        state: AuthState::Unknown,
        ..auth::unknown(format!("the credentials of {name} are its own"))
    }
}

fn shown(path: &Path, machine: &Machine) -> String {
    match path.strip_prefix(&machine.home) {
        Ok(below) => format!("~/{}", below.display()),
        Err(_) => path.display().to_string(),
    }
}
