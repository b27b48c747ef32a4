//! Builds arguments, variables and stdin from `run/start`. Pure.

use od_protocol::adapter::StartRunParams;
use od_protocol::{ErrorObject, SessionMode};
use od_sdk::acp::{self, Handshake, Setting};
use od_sdk::invocation::StdinMode;
use od_sdk::start_run::{AdapterOptions, absolute, unsupported};
use od_sdk::{Install, Invocation};
use serde_json::Value;

use crate::opencode::mode::Mode;
use crate::opencode::options::Options;

/// Builds the invocation of the agent CLI.
///
/// # Errors
/// An option is invalid or not supported.
pub fn invocation(
    start_run_params: &StartRunParams,
    install: &Install,
) -> Result<Invocation, ErrorObject> {
    Options::strict(start_run_params)?;
    let mode = Mode::of(start_run_params, install);
    crate::check_requested_options(start_run_params)?;
    check(start_run_params, mode)?;
    let mut invocation = Invocation {
        permission_mode: start_run_params.permission_mode.clone(),
        ..Invocation::default()
    };
    match mode {
        Mode::Json => add_run(&mut invocation, start_run_params, install)?,
        Mode::Acp => {
            handshake(start_run_params)?;
            invocation.arg("acp");
            invocation.stdin = acp::initialize_line();
            invocation.stdin_mode = StdinMode::KeepOpen;
        }
    }
    // OpenCode reports retries only in its log.
    invocation.arg("--print-logs").flag("--log-level", "ERROR");
    add_quiet(&mut invocation);
    add_rules(&mut invocation, start_run_params);
    Ok(invocation)
}

/// Builds the ACP handshake. `plan` is an agent of OpenCode; the other permission modes are rules.
/// The effort is a config option, which models without efforts do not have.
///
/// # Errors
/// A file that cannot be attached.
pub fn handshake(start_run_params: &StartRunParams) -> Result<Handshake, ErrorObject> {
    let mut handshake = Handshake::of(start_run_params)?;
    let mode = start_run_params.permission_mode.as_deref();
    handshake.settings.retain(|setting| !matches!(setting, Setting::Mode(_)));
    handshake.settings.extend(
        crate::permission_rules::mode_agent(mode).map(|agent| Setting::Mode(agent.to_owned())),
    );
    let effort = start_run_params.effort.map(|effort| effort.as_str().to_owned());
    let option = |value| Setting::ConfigOption { id: "effort".to_owned(), value };
    handshake.settings.extend(effort.map(option));
    Ok(handshake)
}

/// Rejects options that `opencode run` does not support.
fn check(start_run_params: &StartRunParams, mode: Mode) -> Result<(), ErrorObject> {
    if mode == Mode::Acp || start_run_params.mcp_servers.is_empty() {
        return Ok(());
    }
    let message = "`opencode run` reads MCP servers only from its settings";
    Err(unsupported("mcpServers", message, "omit adapterOptions.mode, so that ACP is used"))
}

/// Adds the arguments of `opencode run`, which reads the prompt from stdin.
fn add_run(
    invocation: &mut Invocation,
    start_run_params: &StartRunParams,
    install: &Install,
) -> Result<(), ErrorObject> {
    invocation.arg("run").flag("--format", "json").known_arg(install, "--thinking");
    if let Some(id) = &start_run_params.session.id {
        invocation.flag("--session", id);
    }
    if start_run_params.session.mode == SessionMode::Fork {
        invocation.arg("--fork");
    }
    if let Some(model) = &start_run_params.model {
        invocation.flag("--model", model);
    }
    if let Some(effort) = start_run_params.effort {
        invocation.known_flag(install, "--variant", effort.as_str());
    }
    match start_run_params.permission_mode.as_deref() {
        Some("auto") => invocation.arg("--auto"),
        mode => match crate::permission_rules::mode_agent(mode) {
            Some(agent) => invocation.flag("--agent", agent),
            None => invocation,
        },
    };
    for attachment in &start_run_params.prompt.attachments {
        // The flag takes all values that follow, so each file gets its own flag and none is last.
        invocation.flag("--file", absolute(attachment, "attachments")?);
    }
    invocation.stdin = start_run_params.prompt.text.clone().into_bytes();
    Ok(())
}

/// Keeps a run from updating the CLI.
fn add_quiet(invocation: &mut Invocation) {
    invocation
        .set_env("OPENCODE_DISABLE_AUTOUPDATE", "1")
        .set_env("OPENCODE_DISABLE_TERMINAL_TITLE", "1");
}

/// Passes the rules in a variable; the user's settings stay as they are.
fn add_rules(invocation: &mut Invocation, start_run_params: &StartRunParams) {
    let rules = crate::permission_rules::rules(start_run_params);
    if !rules.is_empty() {
        let rules = Value::Object(crate::permission_rules::rules_object(&rules));
        invocation.set_env("OPENCODE_PERMISSION", rules.to_string());
    }
}
