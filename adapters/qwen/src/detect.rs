//! The login and its credential: the auth type selected in the settings, otherwise the first one
//! whose variables are complete. Reads local files only and never returns a secret.

use std::path::PathBuf;

use od_protocol::{AuthStatus, CredentialKind};
use od_sdk::Machine;
use od_sdk::auth::{self, CredentialFile, Login};

use crate::manifest;

/// A login with an API key, named as in `--auth-type`.
#[derive(Debug, PartialEq, Eq)]
pub struct KeyLogin {
    /// The value of `--auth-type` and of `selectedType` in the settings.
    pub auth_type: &'static str,
    /// The variable with the key.
    pub variable: &'static str,
    /// Further variables that Qwen Code requires before it selects this login by itself.
    needs: &'static [&'static str],
}

/// In the order in which Qwen Code checks the variables.
pub const KEY_LOGINS: &[KeyLogin] = &[
    KeyLogin {
        auth_type: "openai",
        variable: "OPENAI_API_KEY",
        needs: &["OPENAI_MODEL", "OPENAI_BASE_URL"],
    },
    KeyLogin { auth_type: "gemini", variable: "GEMINI_API_KEY", needs: &["GEMINI_MODEL"] },
    KeyLogin { auth_type: "vertex-ai", variable: "GOOGLE_API_KEY", needs: &["GOOGLE_MODEL"] },
    KeyLogin {
        auth_type: "anthropic",
        variable: "ANTHROPIC_API_KEY",
        needs: &["ANTHROPIC_MODEL", "ANTHROPIC_BASE_URL"],
    },
];

/// The login with an account, which the vendor discontinued in April 2026.
const ACCOUNT_AUTH_TYPE: &str = "qwen-oauth";
/// The guidance for users of that login.
const ACCOUNT_GUIDANCE: &str = "the free login was discontinued: run `qwen auth`, or set OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL";

/// The CLI's settings folder.
pub fn config_dir(machine: &Machine) -> PathBuf {
    machine.dir("QWEN_HOME", ".qwen")
}

/// The user's settings; `None` when the file is missing or unreadable.
pub fn settings(machine: &Machine) -> Option<CredentialFile> {
    CredentialFile::read(&config_dir(machine).join("settings.json")).ok().flatten()
}

/// The provider of the model; `None` for a login with its own base URL.
pub fn provider(auth: &AuthStatus) -> Option<&'static str> {
    let credential = auth.credential.as_ref()?;
    match (credential.kind, credential.name.as_str()) {
        (CredentialKind::Subscription, _) => Some("alibaba"),
        (_, "GEMINI_API_KEY") => Some("google"),
        (_, "GOOGLE_API_KEY") => Some("google-vertex"),
        _ => None,
    }
}

/// Returns the state of the login and the credential that a run would use.
pub fn auth(machine: &Machine) -> AuthStatus {
    let settings = settings(machine);
    let selected_type =
        settings.as_ref().and_then(|file| file.plain_text("/security/auth/selectedType"));
    match selected_type {
        Some(ACCOUNT_AUTH_TYPE) => account(machine),
        Some(auth_type) => match KEY_LOGINS.iter().find(|login| login.auth_type == auth_type) {
            Some(login) => with_key(login, machine, settings.as_ref()),
            None => {
                auth::unknown(format!("settings.json selects the unknown auth type {auth_type:?}"))
            }
        },
        None if machine.var("QWEN_OAUTH").is_some() => account(machine),
        None => by_variables(machine, settings.as_ref()),
    }
}

/// Selects the first login whose variables are complete. A key without the other variables is
/// reported as missing, with guidance.
fn by_variables(machine: &Machine, settings: Option<&CredentialFile>) -> AuthStatus {
    let is_set = |variable: &&str| machine.var(variable).is_some();
    let complete =
        KEY_LOGINS.iter().find(|login| is_set(&login.variable) && login.needs.iter().all(is_set));
    if let Some(login) = complete {
        return with_key(login, machine, settings);
    }
    let mut status = auth::missing(&manifest::auth());
    if let Some(login) = KEY_LOGINS.iter().find(|login| is_set(&login.variable)) {
        let missing: Vec<&str> = login.needs.iter().filter(|name| !is_set(name)).copied().collect();
        status.guidance = Some(format!(
            "Qwen Code needs more than {}: set {} too, or run `qwen auth`",
            login.variable,
            missing.join(" and ")
        ));
    }
    status
}

/// The key is in a variable or in the settings, which can set variables and name others.
fn with_key(login: &KeyLogin, machine: &Machine, settings: Option<&CredentialFile>) -> AuthStatus {
    let api_key = |name: String| {
        Login::new("api_key", CredentialKind::ApiKey, name).status(&manifest::auth(), auth::now())
    };
    if machine.var(login.variable).is_some() {
        return api_key(login.variable.to_owned());
    }
    let Some(settings) = settings else { return missing_key(login) };
    for variable in provider_variables(login, settings) {
        if machine.var(&variable).is_some() {
            return api_key(variable);
        }
        if settings.has(&format!("/env/{variable}")) {
            return api_key(format!("{variable} in settings.json"));
        }
    }
    match settings.has("/security/auth/apiKey") {
        true => api_key("security.auth.apiKey in settings.json".to_owned()),
        false => missing_key(login),
    }
}

/// The variables that can hold the key of this login: its own, and those of the providers in the
/// settings.
fn provider_variables(login: &KeyLogin, settings: &CredentialFile) -> Vec<String> {
    let place = format!("/modelProviders/{}", login.auth_type);
    let count = settings.count(&place);
    let named =
        (0..count).filter_map(|index| settings.plain_text(&format!("{place}/{index}/envKey")));
    let mut variables: Vec<String> = named.map(str::to_owned).collect();
    variables.push(login.variable.to_owned());
    variables
}

fn missing_key(login: &KeyLogin) -> AuthStatus {
    AuthStatus {
        guidance: Some(format!(
            "settings.json selects {:?}, but it has no key: set {}, or run `qwen auth`",
            login.auth_type, login.variable
        )),
        ..auth::missing(&manifest::auth())
    }
}

/// The login stored by `qwen auth qwen-oauth`.
fn account(machine: &Machine) -> AuthStatus {
    let path = config_dir(machine).join("oauth_creds.json");
    let status = match CredentialFile::read(&path) {
        Err(error) => return auth::unknown(error.to_string()),
        Ok(Some(file)) if file.has("/access_token") => {
            Login::new("oauth", CredentialKind::Subscription, "~/.qwen/oauth_creds.json")
                .expiring(file.time("/expiry_date"), file.has("/refresh_token"))
                .status(&manifest::auth(), auth::now())
        }
        Ok(_) => auth::missing(&manifest::auth()),
    };
    AuthStatus { guidance: Some(ACCOUNT_GUIDANCE.to_owned()), ..status }
}
