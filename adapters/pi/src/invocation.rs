//! Builds arguments, variables and the first lines of stdin from `run/start`. Pure.

use od_protocol::adapter::StartRunParams;
use od_protocol::{Effort, ErrorKind, ErrorObject, SessionMode};

use super::dialect::{has_flag, is_at_least};
use super::options::Options;
use super::{Dialect, Mode, commands};
use od_sdk::invocation::StdinMode;
use od_sdk::start_run::{self, SystemMode, absolute, invalid};
use od_sdk::{Install, Invocation};

/// Linux limits an argument to 128 KiB; the system prompt is the only long one.
const MAX_SYSTEM_BYTES: usize = 120 * 1024;

/// Builds the invocation of the agent CLI.
///
/// # Errors
/// An option is invalid or not supported.
pub fn invocation(
    dialect: &Dialect,
    start_run_params: &StartRunParams,
    install: &Install,
) -> Result<Invocation, ErrorObject> {
    let options = Options::strict(&start_run_params.adapter_options, dialect)?;
    let mode = options.mode().unwrap_or_else(|| dialect.mode(install));
    let mut invocation = Invocation {
        permission_mode: start_run_params.permission_mode.clone(),
        ..Invocation::default()
    };
    add_prompt(&mut invocation, dialect, start_run_params, mode)?;
    invocation.args(dialect.fixed_args(install));
    add_session(&mut invocation, dialect, start_run_params, install)?;
    add_model(&mut invocation, dialect, start_run_params, install);
    add_system(&mut invocation, start_run_params, &options)?;
    add_folders(&mut invocation, dialect, start_run_params)?;
    add_tools(&mut invocation, dialect, start_run_params, install)?;
    for (name, value) in dialect.quiet_env {
        invocation.set_env(name, *value);
    }
    Ok(invocation)
}

fn add_prompt(
    invocation: &mut Invocation,
    dialect: &Dialect,
    start_run_params: &StartRunParams,
    mode: Mode,
) -> Result<(), ErrorObject> {
    match mode {
        Mode::Rpc => {
            let prompt = commands::prompt(start_run_params, dialect)?;
            invocation.flag("--mode", "rpc");
            invocation.stdin = format!("{}\n{prompt}\n", commands::get_state()).into_bytes();
            invocation.stdin_mode = StdinMode::KeepOpen;
        }
        Mode::Json => {
            if start_run_params.prompt.images.iter().any(|image| image.data.is_some()) {
                let message = "images as data need `--mode rpc`".to_owned();
                return Err(unsupported("images", message, "pass the image by its path"));
            }
            invocation.args(dialect.json_args.iter().copied()).flag("--mode", "json");
            invocation.stdin = commands::prompt_text(start_run_params).into_bytes();
        }
    }
    Ok(())
}

fn add_session(
    invocation: &mut Invocation,
    dialect: &Dialect,
    start_run_params: &StartRunParams,
    install: &Install,
) -> Result<(), ErrorObject> {
    let Some(id) = &start_run_params.session.id else { return Ok(()) };
    let mode = start_run_params.session.mode;
    if !is_session_id(id) {
        return Err(match mode {
            SessionMode::New => invalid(
                format!("session id {id:?} has characters other than letters, digits and ._-"),
                "use a UUID or a name",
            ),
            _ => ErrorObject::new(ErrorKind::SessionUnknown, format!("{id:?} is not a session id"))
                .with_hint("`sessions/list` names them"),
        });
    }
    let flag = match (mode, dialect.session_id_flag) {
        (SessionMode::Resume, _) => dialect.resume_flag,
        (SessionMode::Fork, _) => "--fork",
        (_, Some((flag, since))) if has_flag(install, flag, since) => flag,
        (_, Some((_, since))) => return Err(too_old("session.id", since, dialect)),
        (_, None) => {
            let message = "this CLI creates session ids itself".to_owned();
            return Err(unsupported("session.id", message, "omit session.id"));
        }
    };
    invocation.flag(flag, id);
    Ok(())
}

/// Whether the CLI reads the text as an id and not as a path or a flag.
fn is_session_id(id: &str) -> bool {
    let is_plain = |character: char| character.is_ascii_alphanumeric();
    id.len() <= 128
        && id.starts_with(is_plain)
        && id.ends_with(is_plain)
        && id.chars().all(|character| is_plain(character) || "._-".contains(character))
}

fn add_model(
    invocation: &mut Invocation,
    dialect: &Dialect,
    start_run_params: &StartRunParams,
    install: &Install,
) {
    if let Some(model) = &start_run_params.model {
        invocation.flag("--model", model);
    }
    if let Some(effort) = start_run_params.effort {
        let level = match effort {
            Effort::Max if !is_at_least(install, dialect.max_since) => "xhigh",
            effort => effort.as_str(),
        };
        invocation.flag("--thinking", level);
    }
}

/// Adds the system prompt. The CLI reads a file if the text is its path; the added line end prevents
/// that.
fn add_system(
    invocation: &mut Invocation,
    start_run_params: &StartRunParams,
    options: &Options,
) -> Result<(), ErrorObject> {
    let Some(system) = &start_run_params.prompt.system else { return Ok(()) };
    if system.len() > MAX_SYSTEM_BYTES {
        let message = format!(
            "prompt.system has {} bytes; this CLI accepts at most {MAX_SYSTEM_BYTES}",
            system.len()
        );
        return Err(ErrorObject::new(ErrorKind::PromptTooLarge, message)
            .with_hint("move the long part into prompt.text"));
    }
    let flag = match options.system_mode {
        SystemMode::Append => "--append-system-prompt",
        SystemMode::Replace => "--system-prompt",
    };
    invocation.hidden_flag(flag, format!("{system}\n"));
    Ok(())
}

fn add_folders(
    invocation: &mut Invocation,
    dialect: &Dialect,
    start_run_params: &StartRunParams,
) -> Result<(), ErrorObject> {
    let folders = [
        ("skills", dialect.skill_flag, &start_run_params.skills),
        ("addDirs", dialect.add_dir_flag, &start_run_params.add_dirs),
    ];
    for (option, flag, paths) in folders {
        for path in paths {
            let path = absolute(path, option)?;
            if let Some(flag) = flag {
                invocation.flag(flag, path);
            }
        }
    }
    Ok(())
}

fn add_tools(
    invocation: &mut Invocation,
    dialect: &Dialect,
    start_run_params: &StartRunParams,
    install: &Install,
) -> Result<(), ErrorObject> {
    if let (Some(mode), Some(flag)) = (&start_run_params.permission_mode, dialect.permission_flag) {
        invocation.flag(flag, mode);
    }
    let Some((deny_flag, since)) = dialect.deny_tools_flag else { return Ok(()) };
    if let Some(tools) = &start_run_params.allowed_tools {
        match tools.is_empty() {
            true => invocation.arg("--no-tools"),
            false => invocation.flag("--tools", tool_list(tools)?),
        };
    }
    let denied = start_run_params.denied_tools.as_deref().unwrap_or_default();
    if denied.is_empty() {
        return Ok(());
    }
    if !has_flag(install, deny_flag, since) {
        return Err(too_old("deniedTools", since, dialect));
    }
    invocation.flag(deny_flag, tool_list(denied)?);
    Ok(())
}

fn tool_list(tools: &[String]) -> Result<String, ErrorObject> {
    let is_name = |tool: &String| {
        !tool.is_empty() && !tool.starts_with('-') && !tool.contains([',', ' ', '\n'])
    };
    match tools.iter().find(|tool| !is_name(tool)) {
        Some(tool) => Err(invalid(
            format!("{tool:?} is not the name of a tool"),
            "use names like bash or read",
        )),
        None => Ok(tools.join(",")),
    }
}

fn too_old(which: &str, since: &str, dialect: &Dialect) -> ErrorObject {
    let message = format!("this version of {} is older than {since}", dialect.id);
    unsupported(which, message, dialect.install_command)
}

fn unsupported(which: &str, message: String, hint: &str) -> ErrorObject {
    start_run::unsupported(which, format!("{which}: {message}"), hint)
}
