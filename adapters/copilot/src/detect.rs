//! The login and its credential: a custom provider, a GitHub token in the environment, the CLI's own
//! login, the login of `gh`. Reads local files only and never returns a secret. Only GitHub knows
//! whether a token is still valid.

use std::path::PathBuf;

use od_protocol::{AuthStatus, CredentialKind};
use od_sdk::Machine;
use od_sdk::auth::{self, CredentialFile, EnvCredential, Login};

use crate::manifest;

/// GitHub tokens, in order of precedence.
const TOKENS: &[EnvCredential] = &[
    EnvCredential {
        variable: "COPILOT_GITHUB_TOKEN",
        kind: CredentialKind::Token,
        method: "token",
    },
    EnvCredential { variable: "GH_TOKEN", kind: CredentialKind::Token, method: "token" },
    EnvCredential { variable: "GITHUB_TOKEN", kind: CredentialKind::Token, method: "token" },
];

/// Keys of a custom provider.
const PROVIDER_KEYS: &[EnvCredential] = &[
    EnvCredential {
        variable: "COPILOT_PROVIDER_API_KEY",
        kind: CredentialKind::ApiKey,
        method: "api_key",
    },
    EnvCredential {
        variable: "COPILOT_PROVIDER_BEARER_TOKEN",
        kind: CredentialKind::Token,
        method: "api_key",
    },
    EnvCredential {
        variable: "COPILOT_PROVIDER_API_KEY_COMMAND",
        kind: CredentialKind::Helper,
        method: "api_key",
    },
];

/// Prefix of classic tokens, which the CLI refuses.
const CLASSIC_TOKEN_PREFIX: &str = "ghp_";

/// The CLI's settings folder.
pub fn config_dir(machine: &Machine) -> PathBuf {
    machine.dir("COPILOT_HOME", ".copilot")
}

/// The provider of the model; `None` for a custom provider.
pub fn provider(auth: &AuthStatus) -> Option<&'static str> {
    let credential = auth.credential.as_ref()?;
    (!credential.name.starts_with("COPILOT_PROVIDER_")).then_some("github-copilot")
}

/// Returns the state of the login and the credential that a run would use.
pub fn auth(machine: &Machine) -> AuthStatus {
    let ok = |login: Login| login.status(&manifest::auth(), auth::now());
    if machine.var("COPILOT_PROVIDER_BASE_URL").is_some() {
        // A provider on this machine may need no key.
        let without_key =
            || Login::new("api_key", CredentialKind::ApiKey, "COPILOT_PROVIDER_BASE_URL");
        return ok(auth::env_login(machine, PROVIDER_KEYS).unwrap_or_else(without_key));
    }
    match auth::env_login(machine, TOKENS) {
        Some(login) if !is_classic(machine) => ok(login),
        Some(login) => AuthStatus {
            guidance: Some(
                "Copilot does not accept classic tokens (ghp_…): run `copilot login`, or set a fine-grained token"
                    .to_owned(),
            ),
            state: od_protocol::AuthState::Missing,
            ..ok(login)
        },
        None => stored(machine),
    }
}

/// Whether the token in use is a classic one.
fn is_classic(machine: &Machine) -> bool {
    let token = TOKENS.iter().find_map(|token| machine.var(token.variable));
    token.is_some_and(|token| token.starts_with(CLASSIC_TOKEN_PREFIX))
}

/// The login stored by `copilot login` or `gh auth login`. With a system keyring the files name the
/// account only.
fn stored(machine: &Machine) -> AuthStatus {
    let ok = |login: Login| login.status(&manifest::auth(), auth::now());
    match CredentialFile::read(&config_dir(machine).join("config.json")) {
        Err(error) => return auth::unknown(error.to_string()),
        Ok(Some(file)) if has_account(&file) => {
            return ok(Login::new("oauth", CredentialKind::Subscription, "~/.copilot/config.json"));
        }
        Ok(_) => {}
    }
    let hosts = machine.dir("XDG_CONFIG_HOME", ".config").join("gh").join("hosts.yml");
    // The file names the account; without an account there is no login.
    let names_account = |line: &str| line.trim_start().starts_with("user:");
    let text = od_sdk::files::read_text(&hosts).unwrap_or_default();
    match text.lines().any(names_account) {
        true => ok(Login::new("oauth", CredentialKind::Subscription, "gh auth login")),
        false => auth::missing(&manifest::auth()),
    }
}

fn has_account(file: &CredentialFile) -> bool {
    ["/logged_in_users", "/last_logged_in_user", "/copilot_tokens"]
        .iter()
        .any(|place| file.has(place))
}
