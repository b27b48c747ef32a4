//! `run/start` → arguments, variables, first lines of stdin. Pure.

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

/// The variable whose key `codex exec` reads and the app server does not: it is handed over
/// (recording `key_ignored`).
pub const KEY_VARIABLE: &str = "CODEX_API_KEY";

/// How the CLI is started. `key` is the value of [`KEY_VARIABLE`] when it pays.
///
/// # Errors
/// Options only this adapter can judge.
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
    invocation.pass_env = install.credential.as_ref().and_then(variable).into_iter().collect();
    Ok(invocation)
}

/// Whether the key of [`KEY_VARIABLE`] pays.
pub fn is_paid_by_key(install: &Install) -> bool {
    install.credential.as_ref().is_some_and(|credential| credential.name == KEY_VARIABLE)
}

/// Without the person's plugins and apps, where the CLI can.
fn add_features(invocation: &mut Invocation, install: &Install, options: &Options) {
    if options.without_plugins {
        invocation.known_flag(install, flags::DISABLE, "apps").known_flag(
            install,
            flags::DISABLE,
            "plugins",
        );
    }
}

/// A provider of the person's own names the variable that has its key.
fn variable(credential: &Credential) -> Option<String> {
    let is_variable = |name: &str| {
        name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    };
    let is_key = matches!(credential.kind, CredentialKind::ApiKey | CredentialKind::Token);
    Some(credential.name.clone()).filter(|name| is_key && is_variable(name))
}
