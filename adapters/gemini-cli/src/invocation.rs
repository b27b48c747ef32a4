//! `run/start` → arguments, environment, first bytes of stdin, files of the run. Pure.

use od_protocol::adapter::StartRunParams;
use od_protocol::{ErrorObject, SessionMode};
use od_sdk::invocation::{RUN_FOLDER, StdinMode};
use od_sdk::start_run::{AdapterOptions, SystemMode, absolute, invalid, session_uuid};
use od_sdk::{Install, Invocation, acp};

use crate::mode::{self, Mode};
use crate::options::{ModeOption, Options};
use crate::{acp as gemini_acp, flags};

/// The CLI reads instructions from a file with either of these configurable names.
const CONTEXT_FILES: &[&str] = &["GEMINI.md", "AGENTS.md"];

/// Builds the command line.
///
/// # Errors
/// When an option has a value that this CLI cannot accept.
pub fn invocation(
    start_run_params: &StartRunParams,
    install: &Install,
) -> Result<Invocation, ErrorObject> {
    let options = Options::strict(start_run_params)?;
    if options.mode == ModeOption::OneShot && mode::requires_acp(start_run_params) {
        return Err(invalid(
            "mode one_shot supports no images, attachments or MCP servers, and treats /x and @x in a prompt as commands",
            "omit adapterOptions.mode: the adapter then selects the mode by the run's options",
        ));
    }
    let mut invocation = Invocation {
        permission_mode: start_run_params.permission_mode.clone(),
        ..Invocation::default()
    };
    match mode::of(start_run_params, install) {
        Mode::StreamJson => add_stream_json(&mut invocation, start_run_params, install)?,
        Mode::Acp => add_acp(&mut invocation, start_run_params, install)?,
    }
    if let Some(model) = &start_run_params.model {
        invocation.flag("--model", model);
    }
    if let Some(mode) = &start_run_params.permission_mode {
        invocation.flag("--approval-mode", mode);
    }
    for dir in &start_run_params.add_dirs {
        invocation.flag("--include-directories", without_comma(absolute(dir, "addDirs")?)?);
    }
    add_system_prompt(&mut invocation, start_run_params, &options);
    add_environment(&mut invocation);
    Ok(invocation)
}

fn add_stream_json(
    invocation: &mut Invocation,
    start_run_params: &StartRunParams,
    install: &Install,
) -> Result<(), ErrorObject> {
    invocation.flag("--output-format", "stream-json");
    if let Some(id) = session_uuid(start_run_params, "Gemini CLI")? {
        match start_run_params.session.mode {
            SessionMode::Resume => invocation.flag("--resume", id),
            // Older versions cannot set the id of a new session.
            _ => invocation.known_flag(install, flags::SESSION_ID, id),
        };
    }
    invocation.stdin = start_run_params.prompt.text.clone().into_bytes();
    Ok(())
}

fn add_acp(
    invocation: &mut Invocation,
    start_run_params: &StartRunParams,
    install: &Install,
) -> Result<(), ErrorObject> {
    session_uuid(start_run_params, "Gemini CLI")?;
    gemini_acp::handshake(start_run_params)?;
    invocation.arg(flags::acp_flag(install));
    invocation.stdin = acp::initialize_line();
    invocation.stdin_mode = StdinMode::KeepOpen;
    // Over ACP the CLI buffers stderr until it exits. Its log has the same lines at once, so the log
    // file is stderr.
    if cfg!(unix) {
        invocation.set_env("GEMINI_DEBUG_LOG_FILE", "/dev/stderr");
    }
    Ok(())
}

/// The flag splits its value at commas.
fn without_comma(path: &str) -> Result<&str, ErrorObject> {
    match path.contains(',') {
        false => Ok(path),
        true => Err(invalid(
            format!("addDirs: {path:?} contains a comma, which Gemini CLI treats as a separator"),
            "rename the folder, or link to it from one without a comma",
        )),
    }
}

/// The CLI has no flag for a system prompt. A file in a workspace folder extends the CLI's own
/// prompt; a variable names a file that replaces it.
fn add_system_prompt(
    invocation: &mut Invocation,
    start_run_params: &StartRunParams,
    options: &Options,
) {
    let Some(system) = &start_run_params.prompt.system else { return };
    match options.system_mode {
        SystemMode::Replace => {
            let path = invocation.file("system.md", system.as_str());
            invocation.set_env("GEMINI_SYSTEM_MD", path);
        }
        SystemMode::Append => {
            for name in CONTEXT_FILES {
                invocation.file(name, system.as_str());
            }
            invocation.flag("--include-directories", RUN_FOLDER);
        }
    }
}

/// The caller chose the folder, so it is trusted; otherwise the CLI refuses to start (recording
/// `untrusted`). A relaunch would hide the working process from signals (recordings `sigterm-slow`,
/// `sigterm-norelaunch`).
fn add_environment(invocation: &mut Invocation) {
    invocation
        .set_env("GEMINI_CLI_TRUST_WORKSPACE", "true")
        .set_env("GEMINI_CLI_NO_RELAUNCH", "true");
}
