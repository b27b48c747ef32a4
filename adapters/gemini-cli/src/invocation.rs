//! `run/start` → arguments, variables, first bytes of stdin, files of the run's own. Pure.

use od_protocol::adapter::StartRunParams;
use od_protocol::{ErrorObject, SessionMode};
use od_sdk::invocation::{RUN_FOLDER, StdinMode};
use od_sdk::start_run::{AdapterOptions, SystemMode, absolute, invalid, session_uuid};
use od_sdk::{Install, Invocation, acp};

use crate::mode::{self, Mode};
use crate::options::{ModeOption, Options};
use crate::{flags, live};

/// The files the CLI takes instructions from, under either of the names people give them.
const CONTEXT_FILES: &[&str] = &["GEMINI.md", "AGENTS.md"];

/// How the CLI is started.
///
/// # Errors
/// Options only this adapter can judge.
pub fn invocation(
    start_run_params: &StartRunParams,
    install: &Install,
) -> Result<Invocation, ErrorObject> {
    let options = Options::strict(start_run_params)?;
    if options.mode == ModeOption::OneShot && mode::is_only_live(start_run_params) {
        return Err(invalid(
            "mode one_shot has no pictures, attachments and MCP servers, and takes /x and @x in a prompt for commands",
            "leave adapterOptions.mode out: the adapter then chooses by what the run asks for",
        ));
    }
    let mut invocation = Invocation {
        permission_mode: start_run_params.permission_mode.clone(),
        ..Invocation::default()
    };
    match mode::of(start_run_params, install) {
        Mode::OneShot => add_one_shot(&mut invocation, start_run_params, install)?,
        Mode::Live => add_live(&mut invocation, start_run_params, install)?,
    }
    if let Some(model) = &start_run_params.model {
        invocation.flag("--model", model);
    }
    if let Some(mode) = &start_run_params.permission_mode {
        invocation.flag("--approval-mode", mode);
    }
    for dir in &start_run_params.add_dirs {
        invocation.flag("--include-directories", one_folder(absolute(dir, "addDirs")?)?);
    }
    add_system_prompt(&mut invocation, start_run_params, &options);
    add_quiet(&mut invocation);
    Ok(invocation)
}

fn add_one_shot(
    invocation: &mut Invocation,
    start_run_params: &StartRunParams,
    install: &Install,
) -> Result<(), ErrorObject> {
    invocation.flag("--output-format", "stream-json");
    if let Some(id) = session_uuid(start_run_params, "Gemini CLI")? {
        match start_run_params.session.mode {
            SessionMode::Resume => invocation.flag("--resume", id),
            // An id for a new session is given where the CLI can.
            _ => invocation.known_flag(install, flags::SESSION_ID, id),
        };
    }
    invocation.stdin = start_run_params.prompt.text.clone().into_bytes();
    Ok(())
}

fn add_live(
    invocation: &mut Invocation,
    start_run_params: &StartRunParams,
    install: &Install,
) -> Result<(), ErrorObject> {
    session_uuid(start_run_params, "Gemini CLI")?;
    live::opening(start_run_params)?;
    invocation.arg(flags::talk(install));
    invocation.stdin = acp::initialize_line();
    invocation.stdin_mode = StdinMode::KeepOpen;
    // In a talk the CLI keeps back what it says on stderr until it ends. Its log says the same at
    // once, and a file that is stderr itself brings it here.
    if cfg!(unix) {
        invocation.set_env("GEMINI_DEBUG_LOG_FILE", "/dev/stderr");
    }
    Ok(())
}

/// The flag takes a list with commas.
fn one_folder(path: &str) -> Result<&str, ErrorObject> {
    match path.contains(',') {
        false => Ok(path),
        true => Err(invalid(
            format!("addDirs: {path:?} holds a comma, which Gemini CLI takes for the end"),
            "rename the folder, or link to it from one without a comma",
        )),
    }
}

/// There is no flag for instructions. A file in a folder of the workspace follows the CLI's own
/// system prompt; a variable names one that takes its place.
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

/// The folder was chosen by whoever started the run, so it is trusted: otherwise the CLI refuses to
/// start (recording `untrusted`). It must not start itself anew in a child, which signals would not
/// reach (recordings `sigterm-slow`, `sigterm-norelaunch`).
fn add_quiet(invocation: &mut Invocation) {
    invocation
        .set_env("GEMINI_CLI_TRUST_WORKSPACE", "true")
        .set_env("GEMINI_CLI_NO_RELAUNCH", "true");
}
