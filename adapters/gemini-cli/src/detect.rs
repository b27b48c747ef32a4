//! The login and its credential: settings, variables and files in the CLI's own order. Reads local
//! files only and never returns a secret.

use std::path::{Path, PathBuf};

use od_protocol::{AuthState, AuthStatus, Credential, CredentialKind};
use od_sdk::Machine;
use od_sdk::auth::{self, CredentialFile, EnvCredential, Login};

use crate::manifest;

/// The key of the Gemini API.
const API_KEY: EnvCredential = EnvCredential {
    variable: "GEMINI_API_KEY",
    kind: CredentialKind::ApiKey,
    method: "gemini-api-key",
};
/// The file of a login with Google.
const LOGIN_FILE: &str = "oauth_creds.json";
/// The file with an encrypted key that the user typed into the CLI.
const STORED_KEY_FILE: &str = "gemini-credentials.json";

/// The CLI's settings folder. `GEMINI_CLI_HOME` replaces the home folder.
pub fn config_dir(machine: &Machine) -> PathBuf {
    machine.dir("GEMINI_CLI_HOME", "").join(".gemini")
}

/// The provider of the model; `None` behind a gateway.
pub fn provider(machine: &Machine, auth: &AuthStatus) -> Option<&'static str> {
    match auth.method.as_deref()? {
        "vertex-ai" => Some("google-vertex"),
        _ if machine.var("GOOGLE_GEMINI_BASE_URL").is_some() => None,
        _ => Some("google"),
    }
}

/// Returns the state of the login and the credential that a run would use. The auth type in the
/// settings takes precedence over every variable.
pub fn auth(machine: &Machine) -> AuthStatus {
    let config_dir = config_dir(machine);
    let settings = CredentialFile::read(&config_dir.join("settings.json")).ok().flatten();
    let selected =
        settings.as_ref().and_then(|file| file.plain_text("/security/auth/selectedType"));
    match selected.or_else(|| by_variables(machine, &config_dir)) {
        Some("oauth-personal") => google(&config_dir),
        Some("gemini-api-key") => api_key(machine, &config_dir),
        Some("vertex-ai") => cloud("vertex-ai", "GOOGLE_CLOUD_PROJECT"),
        Some("compute-default-credentials" | "cloud-shell") => {
            cloud("compute-default-credentials", "compute default credentials")
        }
        // The CLI refuses it without a terminal (recording `gateway-auth-invalid`).
        Some("gateway") => AuthStatus {
            guidance: Some(GATEWAY_GUIDANCE.to_owned()),
            ..auth::missing(&manifest::auth())
        },
        Some(other) => {
            auth::unknown(format!("settings.json selects the unknown auth type {other:?}"))
        }
        None => auth::missing(&manifest::auth()),
    }
}

/// The guidance for a base URL without an auth type.
const GATEWAY_GUIDANCE: &str = "GOOGLE_GEMINI_BASE_URL selects a gateway, which Gemini CLI refuses without a terminal: set security.auth.selectedType to \"gemini-api-key\" in ~/.gemini/settings.json";

/// The auth type when the settings name none (source of 0.61.0).
fn by_variables(machine: &Machine, config_dir: &Path) -> Option<&'static str> {
    let is_true = |name: &str| machine.var(name) == Some("true");
    if is_true("GOOGLE_GENAI_USE_GCA") {
        Some("oauth-personal")
    } else if is_true("GOOGLE_GENAI_USE_VERTEXAI") {
        Some("vertex-ai")
    } else if machine.var("GOOGLE_GEMINI_BASE_URL").is_some() {
        Some("gateway")
    } else if machine.var(API_KEY.variable).is_some() || has_key_file(config_dir) {
        Some("gemini-api-key")
    } else if is_true("CLOUD_SHELL") || is_true("GEMINI_CLI_USE_COMPUTE_ADC") {
        Some("compute-default-credentials")
    } else {
        None
    }
}

fn google(config_dir: &Path) -> AuthStatus {
    match CredentialFile::read(&config_dir.join(LOGIN_FILE)) {
        Err(error) => auth::unknown(error.to_string()),
        Ok(Some(file)) if file.has("/access_token") || file.has("/refresh_token") => {
            let name = format!("~/.gemini/{LOGIN_FILE}");
            Login::new("oauth-personal", CredentialKind::Subscription, name)
                .expiring(file.time("/expiry_date"), file.has("/refresh_token"))
                .status(&manifest::auth(), auth::now())
        }
        Ok(_) => auth::missing(&manifest::auth()),
    }
}

fn api_key(machine: &Machine, config_dir: &Path) -> AuthStatus {
    let login = auth::env_login(machine, &[API_KEY]).or_else(|| {
        has_key_file(config_dir)
            .then(|| Login::new(API_KEY.method, API_KEY.kind, "GEMINI_API_KEY in ~/.gemini/.env"))
    });
    match login {
        Some(login) => login.status(&manifest::auth(), auth::now()),
        None if config_dir.join(STORED_KEY_FILE).is_file() => {
            auth::unknown(format!("the key in ~/.gemini/{STORED_KEY_FILE} is encrypted"))
        }
        None => auth::missing(&manifest::auth()),
    }
}

/// Whether `.env`, which the CLI also reads, assigns the key.
fn has_key_file(config_dir: &Path) -> bool {
    let text = od_sdk::files::read_text(&config_dir.join(".env")).unwrap_or_default();
    let assigns = |line: &str| {
        let line = line.trim_start().strip_prefix("export ").unwrap_or(line).trim_start();
        let value = line.strip_prefix(API_KEY.variable)?.trim_start().strip_prefix('=')?;
        (!value.trim().is_empty()).then_some(())
    };
    text.lines().any(|line| assigns(line).is_some())
}

/// A cloud login; its validity is unknown without a request.
fn cloud(method: &str, name: &str) -> AuthStatus {
    AuthStatus {
        state: AuthState::Unknown,
        method: Some(method.to_owned()),
        credential: Some(Credential { kind: CredentialKind::Cloud, name: name.to_owned() }),
        expires_at: None,
        guidance: None,
    }
}
