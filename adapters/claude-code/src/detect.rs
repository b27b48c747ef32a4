//! The login and its credential: variables, settings and files in the CLI's own order of precedence.
//! Reads local files only and never returns a secret.

use std::path::{Path, PathBuf};

use od_protocol::{AuthState, AuthStatus, Credential, CredentialKind};
use od_sdk::Machine;
use od_sdk::auth::{self, CredentialFile, EnvCredential, Login};

use crate::manifest;

/// Variables that select a cloud account, and its method. They take precedence over all credentials.
const CLOUD_SWITCHES: &[(&str, &str)] = &[
    ("CLAUDE_CODE_USE_BEDROCK", "bedrock"),
    ("CLAUDE_CODE_USE_VERTEX", "vertex"),
    ("CLAUDE_CODE_USE_FOUNDRY", "foundry"),
];

/// Credentials after the cloud accounts, in the environment or in the settings.
const API_CREDENTIALS: &[EnvCredential] = &[
    EnvCredential {
        variable: "ANTHROPIC_AUTH_TOKEN",
        kind: CredentialKind::Token,
        method: "token",
    },
    EnvCredential {
        variable: "ANTHROPIC_API_KEY",
        kind: CredentialKind::ApiKey,
        method: "api_key",
    },
];

/// The token of `claude setup-token`: after `apiKeyHelper` in the settings, before the stored login.
const LONG_LIVED_TOKEN: &[EnvCredential] = &[EnvCredential {
    variable: "CLAUDE_CODE_OAUTH_TOKEN",
    kind: CredentialKind::Subscription,
    method: "oauth",
}];

/// The CLI's settings folder.
pub fn config_dir(machine: &Machine) -> PathBuf {
    machine.dir("CLAUDE_CONFIG_DIR", ".claude")
}

/// The provider of the model; `None` behind a gateway, where it is unknown.
pub fn provider(machine: &Machine, auth: &AuthStatus) -> Option<&'static str> {
    match auth.method.as_deref()? {
        "bedrock" => Some("amazon-bedrock"),
        "vertex" => Some("google-vertex"),
        "foundry" => Some("azure"),
        _ if machine.var("ANTHROPIC_BASE_URL").is_some() => None,
        _ => Some("anthropic"),
    }
}

/// Returns the state of the login and the credential that a run would use.
pub fn auth(machine: &Machine) -> AuthStatus {
    let config_dir = config_dir(machine);
    let settings = read_if_valid(&config_dir.join("settings.json"));
    if let Some(status) = cloud(machine, settings.as_ref()) {
        return status;
    }
    let login = auth::env_login(machine, API_CREDENTIALS)
        .or_else(|| settings.as_ref().and_then(from_settings))
        .or_else(|| auth::env_login(machine, LONG_LIVED_TOKEN));
    match login {
        Some(login) => login.status(&manifest::auth(), auth::now()),
        None => stored_login(machine, &config_dir),
    }
}

/// A selected cloud account. Only the cloud knows whether its credential is valid.
fn cloud(machine: &Machine, settings: Option<&CredentialFile>) -> Option<AuthStatus> {
    let is_set = |variable: &str| {
        let in_settings = settings.and_then(|file| file.plain_text(&format!("/env/{variable}")));
        machine.var(variable).or(in_settings).is_some_and(is_on)
    };
    let (variable, method) = CLOUD_SWITCHES.iter().find(|(variable, _)| is_set(variable))?;
    Some(AuthStatus {
        state: AuthState::Unknown,
        method: Some((*method).to_owned()),
        credential: Some(Credential { kind: CredentialKind::Cloud, name: (*variable).to_owned() }),
        expires_at: None,
        guidance: None,
    })
}

/// The credential in `settings.json`: a variable in `env`, or a command that prints a key.
fn from_settings(settings: &CredentialFile) -> Option<Login> {
    let name = |setting: &str| format!("{setting} in settings.json");
    let in_env = API_CREDENTIALS.iter().find(|key| settings.has(&format!("/env/{}", key.variable)));
    match in_env {
        Some(key) => Some(Login::new(key.method, key.kind, name(key.variable))),
        None if settings.has("/apiKeyHelper") => {
            Some(Login::new("helper", CredentialKind::Helper, name("apiKeyHelper")))
        }
        None => None,
    }
}

/// The login stored by `claude auth login`, or the console key in the state file.
fn stored_login(machine: &Machine, config_dir: &Path) -> AuthStatus {
    let path = config_dir.join(".credentials.json");
    match CredentialFile::read(&path) {
        Err(error) => return auth::unknown(error.to_string()),
        Ok(Some(file)) if file.has("/claudeAiOauth/accessToken") => {
            return subscription(&file, machine).status(&manifest::auth(), auth::now());
        }
        Ok(_) => {}
    }
    let state_file = match machine.var("CLAUDE_CONFIG_DIR") {
        Some(_) => config_dir.join(".claude.json"),
        None => machine.home.join(".claude.json"),
    };
    match read_if_valid(&state_file) {
        Some(file) if file.has("/primaryApiKey") => {
            let name = path_below_home(file.path(), machine);
            Login::new("api_key", CredentialKind::ApiKey, name)
                .status(&manifest::auth(), auth::now())
        }
        // On macOS the login is in the keychain; reading it would prompt the user.
        Some(file) if file.has("/oauthAccount") => {
            auth::unknown("the login is in the keychain; `claude auth status` shows its state")
        }
        _ => auth::missing(&manifest::auth()),
    }
}

/// The CLI renews an expired access token if it has a refresh token.
fn subscription(file: &CredentialFile, machine: &Machine) -> Login {
    let name = match file.plain_text("/claudeAiOauth/subscriptionType") {
        Some(plan) => format!("claude.ai {plan}"),
        None => path_below_home(file.path(), machine),
    };
    Login::new("oauth", CredentialKind::Subscription, name)
        .expiring(file.time("/claudeAiOauth/expiresAt"), file.has("/claudeAiOauth/refreshToken"))
}

/// Returns `None` for a missing or invalid file.
fn read_if_valid(path: &Path) -> Option<CredentialFile> {
    CredentialFile::read(path).ok().flatten()
}

fn path_below_home(path: &Path, machine: &Machine) -> String {
    match path.strip_prefix(&machine.home) {
        Ok(below) => format!("~/{}", below.display()),
        Err(_) => path.display().to_string(),
    }
}

/// Whether the CLI treats the value of a switch as on.
fn is_on(value: &str) -> bool {
    matches!(value.to_ascii_lowercase().as_str(), "1" | "true" | "yes" | "on")
}
