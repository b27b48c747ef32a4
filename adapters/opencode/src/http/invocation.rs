//! Builds the command line and environment of the server from `run/start`. Pure. The options of the
//! run go over HTTP, see `requests`.

use std::time::Duration;

use od_protocol::ErrorObject;
use od_protocol::adapter::StartRunParams;
use od_sdk::invocation::ProcessUse;
use od_sdk::start_run::{AdapterOptions, absolute, unsupported};
use od_sdk::{Install, Invocation};

use crate::http::options::Options;
use crate::http::server;

/// On an idle machine the server ends within half a second after SIGTERM.
const EXIT_GRACE: Duration = Duration::from_secs(3);

/// Builds the invocation of the server, which is not started for an attached run.
///
/// # Errors
/// An option is invalid or not supported.
pub fn invocation(
    start_run_params: &StartRunParams,
    install: &Install,
) -> Result<Invocation, ErrorObject> {
    Options::strict(start_run_params)?;
    let is_attached = server::attached(start_run_params)?.is_some();
    crate::check_requested_options(start_run_params)?;
    check(start_run_params, is_attached)?;
    let mut invocation = Invocation {
        permission_mode: start_run_params.permission_mode.clone(),
        exit_grace: Some(EXIT_GRACE),
        process: if is_attached { ProcessUse::Attached } else { ProcessUse::Server },
        ..Invocation::default()
    };
    invocation
        .arg("serve")
        .flag("--hostname", "127.0.0.1")
        // Port 0: OpenCode tries 4096 first and takes any free port if that is busy.
        .flag("--port", "0")
        .arg("--print-logs")
        .flag("--log-level", "ERROR")
        .set_env(server::PASSWORD_VARIABLE, install.secret.reveal())
        .set_env(server::USER_VARIABLE, server::DEFAULT_USER)
        .set_env("OPENCODE_DISABLE_AUTOUPDATE", "1");
    Ok(invocation)
}

fn check(start_run_params: &StartRunParams, is_attached: bool) -> Result<(), ErrorObject> {
    for attachment in &start_run_params.prompt.attachments {
        absolute(attachment, "attachments")?;
    }
    if is_attached && !start_run_params.mcp_servers.is_empty() {
        let message = "MCP servers of one run would stay in the attached server";
        let hint = "add them to that server's opencode.json";
        return Err(unsupported("mcpServers", message, hint));
    }
    Ok(())
}
