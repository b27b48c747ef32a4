//! `run/start` → arguments, environment, first lines of stdin. Pure.

use od_protocol::adapter::StartRunParams;
use od_protocol::{ErrorObject, McpServer, McpTransport, SessionMode};
use od_sdk::invocation::StdinMode;
use od_sdk::start_run::{self, AdapterOptions, SystemMode, absolute, invalid};
use od_sdk::stream_json::control::{control_request, text_block};
use od_sdk::{Install, Invocation};
use serde_json::{Value, json};

use crate::detect::KEY_LOGINS;
use crate::options::Options;

/// The id of the `initialize` control request.
const INITIALIZE_ID: &str = "od-initialize";

/// Builds the command line.
///
/// # Errors
/// When an option has a value that this CLI cannot accept.
pub fn invocation(
    start_run_params: &StartRunParams,
    install: &Install,
) -> Result<Invocation, ErrorObject> {
    let options = Options::strict(start_run_params)?;
    let mut invocation = Invocation {
        stdin: first_lines(&start_run_params.prompt.text),
        stdin_mode: StdinMode::KeepOpen,
        permission_mode: start_run_params.permission_mode.clone(),
        ..Invocation::default()
    };
    add_output_format(&mut invocation, install);
    add_session(&mut invocation, start_run_params)?;
    add_model(&mut invocation, start_run_params, &options)?;
    add_tools(&mut invocation, start_run_params)?;
    add_mcp_servers(&mut invocation, start_run_params);
    Ok(invocation)
}

/// Qwen Code enables the control protocol only when `initialize` is the first line. Without it,
/// it waits for approvals that it never requests.
fn first_lines(prompt: &str) -> Vec<u8> {
    let initialize = control_request(INITIALIZE_ID, json!({"subtype": "initialize"}));
    format!("{initialize}\n{}\n", user_line(prompt)).into_bytes()
}

/// Returns the line of a user message.
///
/// Qwen Code drops empty blocks, joins the others, and treats a text that starts with `/` as one of
/// its own commands, in stream-json too. The first block prevents that: it is a blank before such a
/// prompt and empty otherwise.
pub fn user_line(text: &str) -> Value {
    let guard = if text.starts_with('/') { " " } else { "" };
    let blocks = [text_block(guard), text_block(text)];
    json!({
        "type": "user",
        "session_id": "",
        "parent_tool_use_id": null,
        "message": {"role": "user", "content": blocks},
    })
}

/// Stream-json in both directions with partial messages. Without a relaunch, signals reach the
/// working process (recordings `sigterm-slow`, `sigterm-norelaunch`).
fn add_output_format(invocation: &mut Invocation, install: &Install) {
    invocation
        .flag("--input-format", "stream-json")
        .flag("--output-format", "stream-json")
        .arg("--include-partial-messages")
        .set_env("QWEN_CODE_NO_RELAUNCH", "true");
    let credential = install.credential.as_ref().map(|credential| credential.name.as_str());
    let login = KEY_LOGINS.iter().find(|login| Some(login.variable) == credential);
    if let Some(login) = login {
        invocation.flag("--auth-type", login.auth_type);
    }
}

fn add_session(
    invocation: &mut Invocation,
    start_run_params: &StartRunParams,
) -> Result<(), ErrorObject> {
    let id = start_run::session_uuid(start_run_params, "Qwen Code")?;
    let Some(id) = id else { return Ok(()) };
    match start_run_params.session.mode {
        SessionMode::Resume => invocation.flag("--resume", id),
        _ => invocation.flag("--session-id", id),
    };
    Ok(())
}

fn add_model(
    invocation: &mut Invocation,
    start_run_params: &StartRunParams,
    options: &Options,
) -> Result<(), ErrorObject> {
    if let Some(model) = &start_run_params.model {
        invocation.flag("--model", model);
    }
    if let Some(system) = &start_run_params.prompt.system {
        let flag = match options.system_mode {
            SystemMode::Append => "--append-system-prompt",
            SystemMode::Replace => "--system-prompt",
        };
        // A separate argument that starts with a dash would be parsed as a flag.
        invocation.hidden_arg(format!("{flag}={system}"));
    }
    if let Some(turns) = start_run::max_turns(start_run_params)? {
        invocation.flag("--max-session-turns", turns.to_string());
    }
    for dir in &start_run_params.add_dirs {
        let dir = absolute(dir, "addDirs")?;
        // The flag splits its value at commas.
        if dir.contains(',') {
            return Err(invalid(
                format!("addDirs: {dir:?} contains a comma, which Qwen Code treats as a separator"),
                "use a folder without a comma",
            ));
        }
        invocation.flag("--include-directories", dir);
    }
    Ok(())
}

/// The list flags consume all following values, so each value gets its own `flag=value`.
fn add_tools(
    invocation: &mut Invocation,
    start_run_params: &StartRunParams,
) -> Result<(), ErrorObject> {
    if let Some(mode) = &start_run_params.permission_mode {
        invocation.flag("--approval-mode", mode);
    }
    let lists = [
        ("--allowed-tools", &start_run_params.allowed_tools),
        ("--exclude-tools", &start_run_params.denied_tools),
    ];
    for (flag, tools) in lists {
        for tool in tools.iter().flatten() {
            if tool.is_empty() || tool.starts_with('-') || tool.contains(',') {
                let hint = "use a name like write_file or run_shell_command(git status)";
                return Err(invalid(format!("{tool:?} is not a tool name"), hint));
            }
            invocation.arg(format!("{flag}={tool}"));
        }
    }
    Ok(())
}

fn add_mcp_servers(invocation: &mut Invocation, start_run_params: &StartRunParams) {
    if let Some(config) = start_run::mcp_config(start_run_params, mcp_server) {
        invocation.hidden_flag("--mcp-config", config);
    }
}

/// In the CLI's settings, an HTTP server has `httpUrl` and an SSE server has `url`.
fn mcp_server(server: &McpServer) -> Value {
    match server.transport {
        McpTransport::Http => json!({"httpUrl": server.url, "headers": server.headers}),
        McpTransport::Sse => json!({"url": server.url, "headers": server.headers}),
        _ => json!({"command": server.command, "args": server.args, "env": server.env}),
    }
}
