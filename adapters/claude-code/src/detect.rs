//! Who pays: variables, settings and files in the CLI's own order. Reads local files only, and
//! never gives out a value.

use std::path::{Path, PathBuf};

use od_protocol::{AuthState, AuthStatus, Credential, CredentialKind};
use od_sdk::Machine;
use od_sdk::auth::{self, CredentialFile, EnvCredential, Login};

use crate::manifest;

/// Cloud accounts come before everything else.
const CLOUDS: &[(&str, &str)] = &[
    ("CLAUDE_CODE_USE_BEDROCK", "bedrock"),
    ("CLAUDE_CODE_USE_VERTEX", "vertex"),
    ("CLAUDE_CODE_USE_FOUNDRY", "foundry"),
];

/// Then these two, wherever they are set.
const KEYS: &[EnvCredential] = &[
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

/// Then a helper command, then the token of `claude setup-token`, then the login.
const LONG_LIVED: &[EnvCredential] = &[EnvCredential {
    variable: "CLAUDE_CODE_OAUTH_TOKEN",
    kind: CredentialKind::Subscription,
    method: "oauth",
}];

/// The CLI's settings folder.
pub fn config_dir(machine: &Machine) -> PathBuf {
    machine.dir("CLAUDE_CONFIG_DIR", ".claude")
}

/// The company that runs the model; not known behind a gateway.
pub fn provider(machine: &Machine, auth: &AuthStatus) -> Option<&'static str> {
    match auth.method.as_deref()? {
        "bedrock" => Some("amazon-bedrock"),
        "vertex" => Some("google-vertex"),
        "foundry" => Some("azure"),
        _ if machine.var("ANTHROPIC_BASE_URL").is_some() => None,
        _ => Some("anthropic"),
    }
}

/// The state of the login, and the credential that would pay.
pub fn auth(machine: &Machine) -> AuthStatus {
    let config_dir = config_dir(machine);
    let settings = readable(&config_dir.join("settings.json"));
    if let Some(status) = cloud(machine, settings.as_ref()) {
        return status;
    }
    let login = auth::env_login(machine, KEYS)
        .or_else(|| settings.as_ref().and_then(from_settings))
        .or_else(|| auth::env_login(machine, LONG_LIVED));
    match login {
        Some(login) => login.status(&manifest::auth(), auth::now()),
        None => stored(machine, &config_dir),
    }
}

/// Whether the cloud lets a run in cannot be told from here.
fn cloud(machine: &Machine, settings: Option<&CredentialFile>) -> Option<AuthStatus> {
    let is_set = |variable: &str| {
        let by_settings = settings.and_then(|file| file.plain_text(&format!("/env/{variable}")));
        machine.var(variable).or(by_settings).is_some_and(is_on)
    };
    let (variable, method) = CLOUDS.iter().find(|(variable, _)| is_set(variable))?;
    Some(AuthStatus {
        state: AuthState::Unknown,
        method: Some((*method).to_owned()),
        credential: Some(Credential { kind: CredentialKind::Cloud, name: (*variable).to_owned() }),
        expires_at: None,
        guidance: None,
    })
}

/// Settings can set variables for every session, and name a command that prints a key.
fn from_settings(settings: &CredentialFile) -> Option<Login> {
    let place = |what: &str| format!("{what} in settings.json");
    let by_env = KEYS.iter().find(|key| settings.has(&format!("/env/{}", key.variable)));
    match by_env {
        Some(key) => Some(Login::new(key.method, key.kind, place(key.variable))),
        None if settings.has("/apiKeyHelper") => {
            Some(Login::new("helper", CredentialKind::Helper, place("apiKeyHelper")))
        }
        None => None,
    }
}

/// The login that `claude auth login` left behind.
fn stored(machine: &Machine, config_dir: &Path) -> AuthStatus {
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
    match readable(&state_file) {
        Some(file) if file.has("/primaryApiKey") => {
            let name = shown(file.path(), machine);
            Login::new("api_key", CredentialKind::ApiKey, name)
                .status(&manifest::auth(), auth::now())
        }
        // On macOS the login itself is in the keychain, which asks before it is read.
        Some(file) if file.has("/oauthAccount") => {
            auth::unknown("the login is in the keychain: `claude auth status` tells its state")
        }
        _ => auth::missing(&manifest::auth()),
    }
}

/// The CLI renews a token that ran out as long as it has the means to.
fn subscription(file: &CredentialFile, machine: &Machine) -> Login {
    let name = match file.plain_text("/claudeAiOauth/subscriptionType") {
        Some(plan) => format!("claude.ai {plan}"),
        None => shown(file.path(), machine),
    };
    Login::new("oauth", CredentialKind::Subscription, name)
        .expiring(file.time("/claudeAiOauth/expiresAt"), file.has("/claudeAiOauth/refreshToken"))
}

/// A file that may be missing or broken: then it says nothing.
fn readable(path: &Path) -> Option<CredentialFile> {
    CredentialFile::read(path).ok().flatten()
}

fn shown(path: &Path, machine: &Machine) -> String {
    match path.strip_prefix(&machine.home) {
        Ok(below) => format!("~/{}", below.display()),
        Err(_) => path.display().to_string(),
    }
}

/// The CLI's own reading of a switch.
fn is_on(value: &str) -> bool {
    matches!(value.to_ascii_lowercase().as_str(), "1" | "true" | "yes" | "on")
}
