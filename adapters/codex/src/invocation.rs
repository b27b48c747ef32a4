//! Maps `run/start` to arguments, variables and the first lines of stdin. Pure.

mod app_server;
mod exec;
mod flags;

pub use flags::HELP_PAGES;

use od_protocol::adapter::StartRunParams;
use od_protocol::{Credential, CredentialKind, ErrorObject};
use od_sdk::start_run::AdapterOptions;
use od_sdk::{Install, Invocation};

use crate::mode::{self, Mode};
use crate::options::Options;

/// The variable with an API key. `codex exec` reads it; the app server does not, so the adapter sends
/// the key (recording `key_ignored`).
pub const API_KEY_VARIABLE: &str = "CODEX_API_KEY";

/// Returns how the CLI is started. `key` is the value of [`API_KEY_VARIABLE`] if the run uses it.
///
/// # Errors
/// Invalid options, paths or session ids.
pub fn invocation(
    start_run_params: &StartRunParams,
    install: &Install,
    key: Option<&str>,
) -> Result<Invocation, ErrorObject> {
    let options = Options::strict(start_run_params)?;
    let mut invocation = match mode::of(&options, install) {
        Mode::AppServer => app_server::invocation(start_run_params, install, &options, key)?,
        Mode::Exec => exec::invocation(start_run_params, install, &options)?,
    };
    invocation.permission_mode.clone_from(&start_run_params.permission_mode);
    invocation.pass_env =
        install.credential.as_ref().and_then(credential_variable).into_iter().collect();
    Ok(invocation)
}

/// Whether the run uses the key in [`API_KEY_VARIABLE`].
pub fn uses_api_key(install: &Install) -> bool {
    install.credential.as_ref().is_some_and(|credential| credential.name == API_KEY_VARIABLE)
}

/// Disables the user's plugins and apps if the run asks for it and the CLI has the flag.
fn add_disabled_features(invocation: &mut Invocation, install: &Install, options: &Options) {
    if options.without_plugins {
        invocation.known_flag(install, flags::DISABLE, "apps").known_flag(
            install,
            flags::DISABLE,
            "plugins",
        );
    }
}

/// The variable with the credential, which may be one that the user's settings name.
fn credential_variable(credential: &Credential) -> Option<String> {
    let is_variable = |name: &str| {
        name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    };
    let is_key = matches!(credential.kind, CredentialKind::ApiKey | CredentialKind::Token);
    Some(credential.name.clone()).filter(|name| is_key && is_variable(name))
}
