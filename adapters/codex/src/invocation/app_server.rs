//! `codex app-server`: a talk in JSON-RPC.

use std::time::Duration;

use od_protocol::ErrorObject;
use od_protocol::adapter::StartRunParams;
use od_sdk::invocation::StdinMode;
use od_sdk::{Install, Invocation};

use super::add_features;
use crate::options::Options;
use crate::requests::{self, Opening};

/// After its last word it waits up to five seconds for the sync of plugins, which nobody needs.
const EXIT_GRACE: Duration = Duration::from_millis(250);

/// How the app server is started. Everything but the greeting is said by the mapper.
pub(super) fn invocation(
    start_run_params: &StartRunParams,
    install: &Install,
    options: &Options,
    key: Option<&str>,
) -> Result<Invocation, ErrorObject> {
    // What cannot be said is refused now, before a process is started.
    Opening::of(start_run_params, install)?;
    let mut invocation = Invocation {
        stdin: requests::first_lines(key),
        stdin_mode: StdinMode::KeepOpen,
        exit_grace: Some(EXIT_GRACE),
        ..Invocation::default()
    };
    invocation.arg("app-server");
    if key.is_some() {
        // The login below is for this process: nothing is written to auth.json.
        invocation.flag("-c", r#"cli_auth_credentials_store="ephemeral""#);
    }
    add_features(&mut invocation, install, options);
    Ok(invocation)
}
