//! `run/start` → arguments, variables, stdin. Pure.

use od_protocol::{ErrorKind, ErrorObject, SessionMode, StartRunParams};
use od_sdk::acp::{self, Opening, Setting};
use od_sdk::invocation::StdinMode;
use od_sdk::start_run::{AdapterOptions, absolute};
use od_sdk::{Install, Invocation, parts};
use serde_json::Value;

use crate::mode::Mode;
use crate::options::Options;

/// How the CLI is started.
///
/// # Errors
/// Options only this adapter can judge.
pub fn invocation(
    start_run_params: &StartRunParams,
    install: &Install,
) -> Result<Invocation, ErrorObject> {
    Options::strict(start_run_params)?;
    let mode = Mode::of(start_run_params, install);
    parts::check_wishes(start_run_params)?;
    check(start_run_params, mode)?;
    let mut invocation = Invocation {
        permission_mode: start_run_params.permission_mode.clone(),
        ..Invocation::default()
    };
    match mode {
        Mode::Json => add_run(&mut invocation, start_run_params, install)?,
        Mode::Acp => {
            opening(start_run_params)?;
            invocation.arg("acp");
            invocation.stdin = acp::initialize_line();
            invocation.stdin_mode = StdinMode::KeepOpen;
        }
    }
    // Retries are told in the log and nowhere else.
    invocation.arg("--print-logs").flag("--log-level", "ERROR");
    add_quiet(&mut invocation);
    add_rules(&mut invocation, start_run_params);
    Ok(invocation)
}

/// What the run says over ACP. The mode that plans is an agent of its own; what the others mean is
/// in the rules. The effort is an option that models without one do not have.
///
/// # Errors
/// A file that cannot be attached.
pub fn opening(start_run_params: &StartRunParams) -> Result<Opening, ErrorObject> {
    let mut opening = Opening::of(start_run_params)?;
    let mode = start_run_params.permission_mode.as_deref();
    opening.settings.retain(|setting| !matches!(setting, Setting::Mode(_)));
    opening.settings.extend(parts::mode_agent(mode).map(|agent| Setting::Mode(agent.to_owned())));
    let effort = start_run_params.effort.map(|effort| effort.as_str().to_owned());
    let option = |value| Setting::ConfigOption { id: "effort".to_owned(), value };
    opening.settings.extend(effort.map(option));
    Ok(opening)
}

/// What `opencode run` cannot do.
fn check(start_run_params: &StartRunParams, mode: Mode) -> Result<(), ErrorObject> {
    if mode == Mode::Acp || start_run_params.mcp_servers.is_empty() {
        return Ok(());
    }
    let message = "`opencode run` takes MCP servers only from its settings";
    Err(ErrorObject::new(ErrorKind::CapabilityUnsupported, message)
        .with_which("mcpServers")
        .with_hint("leave out adapterOptions.mode, so that ACP is used"))
}

/// `opencode run`: the prompt is all of stdin.
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
        mode => match parts::mode_agent(mode) {
            Some(agent) => invocation.flag("--agent", agent),
            None => invocation,
        },
    };
    for attachment in &start_run_params.prompt.attachments {
        // The flag takes as many values as follow, so each gets its own and none is the last.
        invocation.flag("--file", absolute(attachment, "attachments")?);
    }
    invocation.stdin = start_run_params.prompt.text.clone().into_bytes();
    Ok(())
}

/// A run neither updates the CLI nor fetches anything on the side.
fn add_quiet(invocation: &mut Invocation) {
    invocation
        .set_env("OPENCODE_DISABLE_AUTOUPDATE", "1")
        .set_env("OPENCODE_DISABLE_TERMINAL_TITLE", "1");
}

/// Rules go beside the person's settings, never into them.
fn add_rules(invocation: &mut Invocation, start_run_params: &StartRunParams) {
    let rules = parts::rules(start_run_params);
    if !rules.is_empty() {
        let rules = Value::Object(parts::rules_object(&rules));
        invocation.set_env("OPENCODE_PERMISSION", rules.to_string());
    }
}
