//! Finds the login: a key in a variable, a custom provider, or a login in omp's database. Reads local
//! files only; never returns the value of a credential.

use std::path::Path;

use crate::adapter::auth_info;
use crate::credentials::env_login;
use od_protocol::{AuthStatus, CredentialKind};
use od_sdk::Machine;
use od_sdk::auth::{self, Login};

use crate::omp::dialect::DIALECT;

/// The files that hold logins.
pub const AUTH_FILES: &[&str] = &["~/.omp/agent/agent.db", "~/.omp/agent/models.yml"];

/// Returns the state of the login and the credential that pays. The first start creates the SQLite
/// database, so its existence does not prove a login.
pub fn auth(machine: &Machine) -> AuthStatus {
    let config_dir = DIALECT.config_dir(machine);
    let login = env_login(machine, None).or_else(|| of_models(&config_dir.join("models.yml")));
    match login {
        Some(login) => login.status(&auth_info(AUTH_FILES), auth::now()),
        None if config_dir.join("agent.db").is_file() => {
            auth::unknown("logins are in agent.db; list them: omp usage")
        }
        None => AuthStatus {
            guidance: Some(DIALECT.login_hint.to_owned()),
            ..auth::missing(&auth_info(AUTH_FILES))
        },
    }
}

/// A custom provider with its key, in YAML or JSON.
fn of_models(path: &Path) -> Option<Login> {
    let text = od_sdk::files::read_text(path).ok()?;
    let names_key = |line: &str| {
        let line = line.trim_start().trim_start_matches(['{', '-', ' ']);
        !line.starts_with('#') && (line.starts_with("apiKey:") || line.contains("\"apiKey\""))
    };
    text.lines()
        .any(names_key)
        .then(|| Login::new("api_key", CredentialKind::ApiKey, AUTH_FILES[1]))
}
