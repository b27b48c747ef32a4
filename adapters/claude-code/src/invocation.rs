//! `run/start` → arguments, environment, first lines of stdin. Pure.

mod policy;
mod prompt;

use od_protocol::adapter::StartRunParams;
use od_protocol::{ErrorObject, McpServer, McpTransport, SessionMode};
use od_sdk::invocation::StdinMode;
use od_sdk::start_run::{self, AdapterOptions, absolute};
use od_sdk::{Install, Invocation};
use serde_json::{Value, json};

use crate::options::Options;

/// The file of a skill.
const SKILL_FILE: &str = "SKILL.md";
/// The name of a folder of skills; the CLI loads its parent folder.
const SKILLS_FOLDER: &str = "skills";

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
        stdin: prompt::first_lines(start_run_params, &options)?,
        stdin_mode: StdinMode::KeepOpen,
        permission_mode: start_run_params.permission_mode.clone(),
        ..Invocation::default()
    };
    add_output_format(&mut invocation, install);
    add_session(&mut invocation, start_run_params)?;
    add_model(&mut invocation, start_run_params, &options);
    add_limits(&mut invocation, start_run_params, &options)?;
    add_folders(&mut invocation, start_run_params)?;
    policy::add(&mut invocation, start_run_params)?;
    add_mcp_servers(&mut invocation, start_run_params, &options);
    add_environment(&mut invocation, &options);
    Ok(invocation)
}

/// Stream-json in both directions with partial messages; the CLI echoes each input line when it
/// accepts it. Stream-json requires `--verbose` (recording `noverbose`).
fn add_output_format(invocation: &mut Invocation, install: &Install) {
    invocation
        .arg("-p")
        .flag("--output-format", "stream-json")
        .flag("--input-format", "stream-json")
        .args(["--verbose", "--include-partial-messages", "--replay-user-messages"]);
    if install.host_answers_approvals {
        // Without it the CLI denies every call that needs approval (recording `sj_perm_noflag`).
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

/// Each folder gets its own flag, because `--add-dir` consumes all following values (recording
/// `adddir_eats_prompt`). A missing folder is not an error (recording `adddir_missing`).
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

/// The folder for `--plugin-dir`: a skill itself or the parent of a folder `skills`; both load
/// without a manifest (recording `skill_plugin_dir`).
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

/// Disables updates, limits retries, and enables the state events that report an idle session.
fn add_environment(invocation: &mut Invocation, options: &Options) {
    invocation
        .set_env("DISABLE_AUTOUPDATER", "1")
        .set_env("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", "1")
        .set_env("CLAUDE_CODE_MAX_RETRIES", options.retries().max_retries().to_string());
}
