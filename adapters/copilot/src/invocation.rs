//! `run/start` → arguments, environment, first bytes of stdin. Pure except for the id of a new session.

use od_protocol::adapter::StartRunParams;
use od_protocol::{ErrorObject, McpServer, McpTransport, SessionMode};
use od_sdk::invocation::StdinMode;
use od_sdk::start_run::{self, AdapterOptions, absolute, invalid};
use od_sdk::{Install, Invocation, acp};
use serde_json::{Value, json};
use std::time::Duration;

use crate::acp as copilot_acp;
use crate::mode::{self, Mode};
use crate::options::Options;

/// The flag with the session's id.
pub const SESSION_FLAG: &str = "--session-id";
/// The usage report that the CLI writes at its end.
const USAGE_FILE: &str = "usage.json";
/// Time for the CLI to write the report after its last line.
const EXIT_GRACE: Duration = Duration::from_secs(2);

/// Builds the command line.
///
/// # Errors
/// When an option has a value that this CLI cannot accept.
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
        Mode::JsonLines => add_json_lines(&mut invocation, start_run_params)?,
        Mode::Acp => add_acp(&mut invocation, start_run_params)?,
    }
    add_model(&mut invocation, start_run_params)?;
    add_tools(&mut invocation, start_run_params)?;
    // A run neither updates the CLI nor sends telemetry.
    invocation
        .args(["--no-auto-update", "--disable-client-telemetry"])
        .set_env("COPILOT_AUTO_UPDATE", "false");
    Ok(invocation)
}

/// The CLI reads the prompt from stdin when no flag contains one (recording `plain`). It prints the
/// session's id in its last line only, so the adapter chooses the id of a new session.
fn add_json_lines(
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

fn add_acp(
    invocation: &mut Invocation,
    start_run_params: &StartRunParams,
) -> Result<(), ErrorObject> {
    start_run::session_uuid(start_run_params, "Copilot")?;
    copilot_acp::opening(start_run_params)?;
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

/// The list flags consume all following values, so each value gets its own `flag=value`.
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
                let hint = "use a name like write, shell(git:*) or SERVER(TOOL)";
                return Err(invalid(format!("{tool:?} is not a tool name"), hint));
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
