//! `run/start` → arguments, variables, first bytes of stdin. Pure, but for the id of a new session.

use od_protocol::adapter::StartRunParams;
use od_protocol::{ErrorObject, McpServer, McpTransport, SessionMode};
use od_sdk::invocation::StdinMode;
use od_sdk::start_run::{self, AdapterOptions, absolute, invalid};
use od_sdk::{Install, Invocation, acp};
use serde_json::{Value, json};
use std::time::Duration;

use crate::live;
use crate::mode::{self, Mode};
use crate::options::Options;

/// The flag that names a session, new or old.
pub const SESSION_FLAG: &str = "--session-id";
/// The report of the tokens.
const USAGE_FILE: &str = "usage.json";
/// The report is written after the last line.
const EXIT_GRACE: Duration = Duration::from_secs(2);

/// How the CLI is started.
///
/// # Errors
/// Options only this adapter can judge.
pub fn invocation(
    start_run_params: &StartRunParams,
    install: &Install,
) -> Result<Invocation, ErrorObject> {
    Options::strict(start_run_params)?;
    let mut invocation = Invocation {
        permission_mode: start_run_params.permission_mode.clone(),
        ..Invocation::default()
    };
    match mode::of(start_run_params, install) {
        Mode::OneShot => add_one_shot(&mut invocation, start_run_params)?,
        Mode::Live => add_live(&mut invocation, start_run_params)?,
    }
    add_model(&mut invocation, start_run_params)?;
    add_tools(&mut invocation, start_run_params)?;
    // A run neither updates the CLI nor tells anybody about itself.
    invocation
        .args(["--no-auto-update", "--disable-client-telemetry"])
        .set_env("COPILOT_AUTO_UPDATE", "false");
    Ok(invocation)
}

/// The prompt is read from stdin when no flag holds one (recording `plain`). The session's id is
/// told at the very end only, so a new one gets its id from us.
fn add_one_shot(
    invocation: &mut Invocation,
    start_run_params: &StartRunParams,
) -> Result<(), ErrorObject> {
    let id = start_run::session_uuid(start_run_params, "Copilot")?;
    invocation.flag("--output-format", "json").arg("--no-ask-user");
    match (start_run_params.session.mode, id) {
        (SessionMode::Resume, Some(id)) => invocation.arg(format!("--resume={id}")),
        (_, Some(id)) => invocation.flag(SESSION_FLAG, id),
        (_, None) => invocation.flag(SESSION_FLAG, uuid::Uuid::new_v4().to_string()),
    };
    let usage = invocation.report(USAGE_FILE);
    invocation.flag("--usage-output-file", usage);
    invocation.exit_grace = Some(EXIT_GRACE);
    if let Some(config) = start_run::mcp_config(start_run_params, mcp_server) {
        invocation.hidden_flag("--additional-mcp-config", config);
    }
    for path in &start_run_params.prompt.attachments {
        invocation.flag("--attachment", absolute(path, "prompt.attachments")?);
    }
    invocation.stdin = start_run_params.prompt.text.clone().into_bytes();
    Ok(())
}

fn add_live(
    invocation: &mut Invocation,
    start_run_params: &StartRunParams,
) -> Result<(), ErrorObject> {
    start_run::session_uuid(start_run_params, "Copilot")?;
    live::opening(start_run_params)?;
    invocation.arg("--acp");
    invocation.stdin = acp::initialize_line();
    invocation.stdin_mode = StdinMode::KeepOpen;
    Ok(())
}

fn add_model(
    invocation: &mut Invocation,
    start_run_params: &StartRunParams,
) -> Result<(), ErrorObject> {
    if let Some(model) = &start_run_params.model {
        invocation.flag("--model", model);
    }
    if let Some(effort) = start_run_params.effort {
        invocation.flag("--reasoning-effort", effort.as_str());
    }
    for dir in &start_run_params.add_dirs {
        invocation.flag("--add-dir", absolute(dir, "addDirs")?);
    }
    Ok(())
}

/// The lists take as many values as follow, so each value is glued to a flag of its own.
fn add_tools(
    invocation: &mut Invocation,
    start_run_params: &StartRunParams,
) -> Result<(), ErrorObject> {
    invocation.args(mode::flag_of(start_run_params));
    let lists = [
        ("--allow-tool", &start_run_params.allowed_tools),
        ("--deny-tool", &start_run_params.denied_tools),
    ];
    for (flag, tools) in lists {
        for tool in tools.iter().flatten() {
            if tool.is_empty() || tool.starts_with('-') {
                let hint = "a tool is named like write, shell(git:*) or SERVER(TOOL)";
                return Err(invalid(format!("{tool:?} is no tool"), hint));
            }
            invocation.arg(format!("{flag}={tool}"));
        }
    }
    Ok(())
}

fn mcp_server(server: &McpServer) -> Value {
    match server.transport {
        McpTransport::Http | McpTransport::Sse => json!({
            "type": server.transport,
            "url": server.url,
            "headers": server.headers,
            "tools": ["*"],
        }),
        _ => json!({
            "type": "local",
            "command": server.command,
            "args": server.args,
            "env": server.env,
            "tools": ["*"],
        }),
    }
}
