//! The command line of `codex app-server` and the first lines of its stdin.

use std::time::Duration;

use od_protocol::ErrorObject;
use od_protocol::adapter::StartRunParams;
use od_sdk::invocation::StdinMode;
use od_sdk::{Install, Invocation};

use super::add_disabled_features;
use crate::options::Options;
use crate::requests::{self, Handshake};

/// After the turn the CLI synchronizes plugins for up to five seconds; a run does not need that.
const EXIT_GRACE: Duration = Duration::from_millis(250);

/// Returns how the app server is started. The mapper sends the requests after `initialize`.
pub(super) fn invocation(
    start_run_params: &StartRunParams,
    install: &Install,
    options: &Options,
    key: Option<&str>,
) -> Result<Invocation, ErrorObject> {
    // Invalid parameters are refused before a process is started.
    Handshake::of(start_run_params, install)?;
    let mut invocation = Invocation {
        stdin: requests::initial_lines(key),
        stdin_mode: StdinMode::KeepOpen,
        exit_grace: Some(EXIT_GRACE),
        ..Invocation::default()
    };
    invocation.arg("app-server");
    if key.is_some() {
        // The login on stdin is for this process only: nothing is written to auth.json.
        invocation.flag("-c", r#"cli_auth_credentials_store="ephemeral""#);
    }
    add_disabled_features(&mut invocation, install, options);
    Ok(invocation)
}
