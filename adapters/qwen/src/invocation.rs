//! `run/start` → arguments, variables, first line of stdin. Pure.

use od_protocol::adapter::StartRunParams;
use od_protocol::{ErrorObject, McpServer, McpTransport, SessionMode};
use od_sdk::invocation::StdinMode;
use od_sdk::start_run::{self, AdapterOptions, SystemMode, absolute, invalid};
use od_sdk::stream_json::control::{control_request, text_block};
use od_sdk::{Install, Invocation};
use serde_json::{Value, json};

use crate::detect::KEY_LOGINS;
use crate::options::Options;

/// The id of the request that opens the session.
const INITIALIZE_ID: &str = "od-initialize";

/// How the CLI is started.
///
/// # Errors
/// Options only this adapter can judge.
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
    add_frame(&mut invocation, install);
    add_session(&mut invocation, start_run_params)?;
    add_model(&mut invocation, start_run_params, &options)?;
    add_tools(&mut invocation, start_run_params)?;
    add_mcp_servers(&mut invocation, start_run_params);
    Ok(invocation)
}

/// The control protocol is on only when its request comes first: without it Qwen Code would wait
/// for an approval that it never asked for.
fn first_lines(prompt: &str) -> Vec<u8> {
    let initialize = control_request(INITIALIZE_ID, json!({"subtype": "initialize"}));
    format!("{initialize}\n{}\n", user_line(prompt)).into_bytes()
}

/// What a person says.
///
/// Qwen Code leaves out empty blocks, joins the others, and takes a text that starts with `/` for
/// one of its own commands, in stream-json too. The first block is ours: it is empty unless it has
/// to keep such a prompt data.
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

/// Lines both ways, in pieces; no process of its own between us and the one that works (recordings
/// `sigterm-slow`, `sigterm-norelaunch`).
fn add_frame(invocation: &mut Invocation, install: &Install) {
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
        // A text that starts with a dash would be taken for a flag.
        invocation.hidden_arg(format!("{flag}={system}"));
    }
    if let Some(turns) = start_run::max_turns(start_run_params)? {
        invocation.flag("--max-session-turns", turns.to_string());
    }
    for dir in &start_run_params.add_dirs {
        let dir = absolute(dir, "addDirs")?;
        // The flag takes several folders with commas between them.
        if dir.contains(',') {
            return Err(invalid(
                format!("addDirs: {dir:?} has a comma, which Qwen Code takes for the next folder"),
                "give a folder without one",
            ));
        }
        invocation.flag("--include-directories", dir);
    }
    Ok(())
}

/// The lists take as many values as follow, so each value is glued to a flag of its own.
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
                let hint = "a tool is named like write_file or run_shell_command(git status)";
                return Err(invalid(format!("{tool:?} is no tool"), hint));
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

/// The settings' own names: a server over HTTP has `httpUrl`, one over SSE has `url`.
fn mcp_server(server: &McpServer) -> Value {
    match server.transport {
        McpTransport::Http => json!({"httpUrl": server.url, "headers": server.headers}),
        McpTransport::Sse => json!({"url": server.url, "headers": server.headers}),
        _ => json!({"command": server.command, "args": server.args, "env": server.env}),
    }
}
