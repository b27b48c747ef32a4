//! `run/start` → arguments, variables, first lines of stdin. Pure.

mod policy;
mod prompt;

use od_protocol::adapter::StartRunParams;
use od_protocol::{ErrorObject, McpServer, McpTransport, SessionMode};
use od_sdk::invocation::StdinMode;
use od_sdk::start_run::{self, AdapterOptions, absolute};
use od_sdk::{Install, Invocation};
use serde_json::{Value, json};

use crate::options::Options;

/// A file named so holds a skill.
const SKILL_FILE: &str = "SKILL.md";
/// A folder named so holds skills; what the CLI loads is the folder above it.
const SKILLS_FOLDER: &str = "skills";

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
        stdin: prompt::first_lines(start_run_params, &options)?,
        stdin_mode: StdinMode::KeepOpen,
        permission_mode: start_run_params.permission_mode.clone(),
        ..Invocation::default()
    };
    add_frame(&mut invocation, install);
    add_session(&mut invocation, start_run_params)?;
    add_model(&mut invocation, start_run_params, &options);
    add_limits(&mut invocation, start_run_params, &options)?;
    add_folders(&mut invocation, start_run_params)?;
    policy::add(&mut invocation, start_run_params)?;
    add_mcp_servers(&mut invocation, start_run_params, &options);
    add_quiet(&mut invocation, &options);
    Ok(invocation)
}

/// Lines both ways, in pieces, each of ours echoed once it is taken. `--verbose` is mandatory with
/// stream-json (recording `noverbose`).
fn add_frame(invocation: &mut Invocation, install: &Install) {
    invocation
        .arg("-p")
        .flag("--output-format", "stream-json")
        .flag("--input-format", "stream-json")
        .args(["--verbose", "--include-partial-messages", "--replay-user-messages"]);
    if install.host_answers_approvals {
        // Without it the CLI denies what it would ask for (recording sj_perm_noflag).
        invocation.flag("--permission-prompt-tool", "stdio");
    }
}

fn add_session(
    invocation: &mut Invocation,
    start_run_params: &StartRunParams,
) -> Result<(), ErrorObject> {
    let id = start_run::session_uuid(start_run_params, "Claude Code")?;
    let Some(id) = id else { return Ok(()) };
    match start_run_params.session.mode {
        SessionMode::Resume => invocation.flag("--resume", id),
        SessionMode::Fork => invocation.flag("--resume", id).arg("--fork-session"),
        _ => invocation.flag("--session-id", id),
    };
    Ok(())
}

fn add_model(invocation: &mut Invocation, start_run_params: &StartRunParams, options: &Options) {
    if let Some(model) = &start_run_params.model {
        invocation.flag("--model", model);
    }
    if let Some(model) = &options.fallback_model {
        invocation.flag("--fallback-model", model);
    }
    if let Some(effort) = start_run_params.effort {
        invocation.flag("--effort", effort.as_str());
    }
}

fn add_limits(
    invocation: &mut Invocation,
    start_run_params: &StartRunParams,
    options: &Options,
) -> Result<(), ErrorObject> {
    if let Some(turns) = start_run::max_turns(start_run_params)? {
        invocation.flag("--max-turns", turns.to_string());
    }
    if let Some(budget) = options.max_budget_usd {
        invocation.flag("--max-budget-usd", budget.to_string());
    }
    if let Some(schema) = &start_run_params.output_schema {
        invocation.flag("--json-schema", Value::Object(schema.clone()).to_string());
    }
    Ok(())
}

/// Each folder gets a flag of its own: `--add-dir` takes as many values as follow (recording
/// `adddir_eats_prompt`), and a missing folder is no error to it.
fn add_folders(
    invocation: &mut Invocation,
    start_run_params: &StartRunParams,
) -> Result<(), ErrorObject> {
    for dir in &start_run_params.add_dirs {
        invocation.flag("--add-dir", absolute(dir, "addDirs")?);
    }
    for skill in &start_run_params.skills {
        invocation.flag("--plugin-dir", skill_folder(absolute(skill, "skills")?));
    }
    Ok(())
}

/// A plugin folder may be a skill itself or hold a folder `skills`; both load without a manifest
/// (recording `skill_plugin_dir`).
fn skill_folder(path: &str) -> &str {
    let path = path.trim_end_matches(['/', '\\']);
    match path.rsplit_once(['/', '\\']) {
        Some((folder, SKILL_FILE | SKILLS_FOLDER)) if !folder.is_empty() => folder,
        _ => path,
    }
}

fn add_mcp_servers(
    invocation: &mut Invocation,
    start_run_params: &StartRunParams,
    options: &Options,
) {
    if let Some(config) = start_run::mcp_config(start_run_params, mcp_server) {
        invocation.hidden_flag("--mcp-config", config);
    }
    if options.strict_mcp_config {
        invocation.arg("--strict-mcp-config");
    }
}

fn mcp_server(server: &McpServer) -> Value {
    match server.transport {
        McpTransport::Http | McpTransport::Sse => json!({
            "type": server.transport,
            "url": server.url,
            "headers": server.headers,
        }),
        _ => json!({
            "type": "stdio",
            "command": server.command,
            "args": server.args,
            "env": server.env,
        }),
    }
}

/// A run neither updates the CLI nor waits for ever, and is told when nothing more will come.
fn add_quiet(invocation: &mut Invocation, options: &Options) {
    invocation
        .set_env("DISABLE_AUTOUPDATER", "1")
        .set_env("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", "1")
        .set_env("CLAUDE_CODE_MAX_RETRIES", options.retries().max_retries().to_string());
}
