//! Finds the login: that of the default provider first, then any other. Reads local files only; never
//! returns the value of a credential.

use std::path::Path;

use crate::adapter::auth_info;
use crate::credentials::{env_login, stored_login};
use od_protocol::{AuthStatus, CredentialKind};
use od_sdk::Machine;
use od_sdk::auth::{self, CredentialFile, Login};

use crate::pi::dialect::DIALECT;

/// The files that hold logins.
pub const AUTH_FILES: &[&str] = &["~/.pi/agent/auth.json", "~/.pi/agent/models.json"];

/// Returns the state of the login and the credential that pays.
pub fn auth(machine: &Machine) -> AuthStatus {
    let config_dir = DIALECT.config_dir(machine);
    let stored = match CredentialFile::read(&config_dir.join("auth.json")) {
        Ok(stored) => stored,
        Err(error) => return auth::unknown(error.to_string()),
    };
    let settings = readable(&config_dir.join("settings.json"));
    let chosen = settings.as_ref().and_then(|file| file.plain_text("/defaultProvider"));
    let login = chosen
        .and_then(|provider| of_provider(machine, stored.as_ref(), provider))
        .or_else(|| any_stored(stored.as_ref()))
        .or_else(|| env_login(machine, None))
        .or_else(|| of_models(readable(&config_dir.join("models.json")).as_ref()));
    match login {
        Some(login) => {
            let mut status = login.status(&auth_info(AUTH_FILES), auth::now());
            status.guidance = status.guidance.map(|_| DIALECT.login_hint.to_owned());
            status
        }
        None => AuthStatus {
            guidance: Some(DIALECT.login_hint.to_owned()),
            ..auth::missing(&auth_info(AUTH_FILES))
        },
    }
}

/// A stored login takes precedence over a variable.
fn of_provider(
    machine: &Machine,
    stored: Option<&CredentialFile>,
    provider: &str,
) -> Option<Login> {
    stored
        .and_then(|file| stored_login(file, provider, AUTH_FILES[0]))
        .or_else(|| env_login(machine, Some(provider)))
}

fn any_stored(stored: Option<&CredentialFile>) -> Option<Login> {
    let file = stored?;
    file.names("").into_iter().find_map(|provider| stored_login(file, provider, AUTH_FILES[0]))
}

/// A custom provider with its key.
fn of_models(models: Option<&CredentialFile>) -> Option<Login> {
    let file = models?;
    let has_key = |provider: &&str| file.has(&format!("/providers/{provider}/apiKey"));
    let provider = file.names("/providers").into_iter().find(has_key)?;
    let name = format!("{} ({provider})", AUTH_FILES[1]);
    Some(Login::new("api_key", CredentialKind::ApiKey, name))
}

/// Reads a file; a missing or broken one is ignored.
fn readable(path: &Path) -> Option<CredentialFile> {
    CredentialFile::read(path).ok().flatten()
}
