//! Validates `run/start` before any process starts: every option needs its capability, and values
//! must be possible. Reads nothing but the metadata of the working directory.

use std::path::Path;

use od_protocol::adapter::StartRunParams;
use od_protocol::{Capabilities, ErrorKind, ErrorObject, SessionMode};

/// A longer model id is refused.
const MAX_MODEL_BYTES: usize = 200;

/// A longer session id is refused.
const MAX_SESSION_ID_BYTES: usize = 200;

/// Checks a `run/start` against the capabilities and the machine.
pub(super) fn check(
    start_run_params: &StartRunParams,
    capabilities: &Capabilities,
) -> Result<(), ErrorObject> {
    check_capabilities(start_run_params, capabilities)?;
    check_values(start_run_params)?;
    check_choices(start_run_params, capabilities)
}

/// Each option that is set needs its capability.
fn check_capabilities(
    params: &StartRunParams,
    capabilities: &Capabilities,
) -> Result<(), ErrorObject> {
    let prompt = &params.prompt;
    let needs = [
        ("run", true, capabilities.run.is_some()),
        ("models", params.model.is_some(), capabilities.models.is_some()),
        ("effort", params.effort.is_some(), capabilities.effort.is_some()),
        (
            "thinkingBudget",
            params.thinking_budget_tokens.is_some(),
            capabilities.thinking_budget.is_some(),
        ),
        ("resume", params.session.mode == SessionMode::Resume, capabilities.resume.is_some()),
        ("fork", params.session.mode == SessionMode::Fork, capabilities.fork.is_some()),
        ("systemPrompt", prompt.system.is_some(), capabilities.system_prompt.is_some()),
        ("attachments", !prompt.attachments.is_empty(), capabilities.attachments.is_some()),
        ("images", !prompt.images.is_empty(), capabilities.images.is_some()),
        ("skills", !params.skills.is_empty(), capabilities.skills.is_some()),
        ("addDirs", !params.add_dirs.is_empty(), capabilities.add_dirs.is_some()),
        (
            "toolLists",
            params.allowed_tools.is_some() || params.denied_tools.is_some(),
            capabilities.tool_lists.is_some(),
        ),
        (
            "permissionModes",
            params.permission_mode.is_some(),
            capabilities.permission_modes.is_some(),
        ),
        ("policy", params.policy.is_some(), capabilities.policy.is_some()),
        ("mcpServers", !params.mcp_servers.is_empty(), capabilities.mcp_servers.is_some()),
        ("outputSchema", params.output_schema.is_some(), capabilities.output_schema.is_some()),
        ("maxTurns", params.max_turns.is_some(), capabilities.max_turns.is_some()),
    ];
    match needs.iter().find(|(_, is_requested, is_declared)| *is_requested && !is_declared) {
        None => Ok(()),
        Some((which, _, _)) => Err(unsupported(
            which,
            format!("this agent does not support {which}: the capability is not declared"),
        )),
    }
}

/// Checks values that must be right for every agent.
fn check_values(params: &StartRunParams) -> Result<(), ErrorObject> {
    if params.run_id.is_empty() {
        return Err(invalid("runId is empty", "give every run its own id"));
    }
    if params.prompt.text.trim().is_empty() && params.prompt.images.is_empty() {
        return Err(invalid("the prompt is empty", "describe the task in prompt.text"));
    }
    if let Some(model) = &params.model {
        check_model(model)?;
    }
    if let Some(name) = params.env.keys().find(|name| name.is_empty() || name.contains(['=', '\0']))
    {
        return Err(invalid(
            format!("{name:?} is not a variable name"),
            "a variable name is not empty and has no '='",
        ));
    }
    if params.session.mode != SessionMode::New && params.session.id.is_none() {
        return Err(invalid(
            format!("session mode {} needs the id of a session", params.session.mode),
            "`sessions/list` lists the ids",
        ));
    }
    if let Some(id) = params.session.id.as_deref() {
        check_session_id(id)?;
    }
    check_cwd(&params.cwd)
}

/// A session id becomes an argument or part of a path, so it must not look like a flag or leave a
/// folder.
fn check_session_id(id: &str) -> Result<(), ErrorObject> {
    let is_safe = !id.is_empty()
        && id.len() <= MAX_SESSION_ID_BYTES
        && !id.starts_with(['-', '/', '\\', '~'])
        && !id.split(['/', '\\']).any(|part| part == "..")
        && !id.chars().any(char::is_control);
    match is_safe {
        true => Ok(()),
        false => Err(ErrorObject::new(
            ErrorKind::SessionUnknown,
            format!("{id:?} cannot be the id of a session"),
        )
        .with_hint("`sessions/list` lists the ids")),
    }
}

fn check_cwd(cwd: &str) -> Result<(), ErrorObject> {
    let folder = Path::new(cwd);
    if !folder.is_absolute() {
        return Err(invalid(format!("cwd {cwd:?} is not absolute"), "give an absolute path"));
    }
    match folder.metadata() {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(invalid(format!("cwd {cwd:?} is not a folder"), "give a folder")),
        Err(error) => Err(invalid(
            format!("cwd {cwd:?} cannot be used: {error}"),
            format!("create it: mkdir -p {cwd:?}"),
        )),
    }
}

/// A model id becomes an argument, so it must not look like a flag.
fn check_model(model: &str) -> Result<(), ErrorObject> {
    let allowed =
        |character: char| character.is_ascii_alphanumeric() || "-_.:/@[]+~".contains(character);
    let safe = !model.is_empty()
        && model.len() <= MAX_MODEL_BYTES
        && !model.starts_with('-')
        && model.chars().all(allowed);
    match safe {
        true => Ok(()),
        false => {
            Err(ErrorObject::new(ErrorKind::ModelUnknown, format!("{model:?} is not a model id"))
                .with_hint(
                    "`models/list` lists the models; an id has letters, digits and -_.:/@[]+~",
                ))
        }
    }
}

/// Checks that choices are among those the capability lists.
fn check_choices(params: &StartRunParams, capabilities: &Capabilities) -> Result<(), ErrorObject> {
    if let (Some(effort), Some(capability)) = (params.effort, &capabilities.effort)
        && !capability.levels.contains(&effort)
    {
        return Err(unsupported("effort", format!("this agent has no effort {effort}")));
    }
    if let (Some(mode), Some(capability)) =
        (&params.permission_mode, &capabilities.permission_modes)
        && !capability.modes.contains(mode)
    {
        return Err(unsupported(
            "permissionModes",
            format!("this agent has no permission mode {mode:?}"),
        )
        .with_hint(format!("supported: {}", capability.modes.join(", "))));
    }
    Ok(())
}

fn unsupported(which: &str, message: String) -> ErrorObject {
    ErrorObject::new(ErrorKind::CapabilityUnsupported, message)
        .with_which(which)
        .with_hint("leave the option out; `initialize` lists the capabilities of this adapter")
}

fn invalid(message: impl Into<String>, hint: impl Into<String>) -> ErrorObject {
    ErrorObject::new(ErrorKind::ConfigInvalid, message).with_hint(hint)
}

#[cfg(test)]
mod tests {
    use od_protocol::{Effort, EffortCapability, Marker, Prompt, SessionChoice};

    use super::*;

    fn params() -> StartRunParams {
        StartRunParams {
            run_id: "r".into(),
            cwd: std::env::temp_dir().to_string_lossy().into_owned(),
            prompt: Prompt { text: "hi".into(), ..Prompt::default() },
            ..StartRunParams::default()
        }
    }

    fn kind(params: StartRunParams, capabilities: &Capabilities) -> Option<ErrorKind> {
        check(&params, capabilities).err().map(|error| error.kind())
    }

    #[test]
    fn undeclared_option_is_refused_by_name() {
        let bare = Capabilities { run: Some(Marker {}), ..Capabilities::default() };
        assert_eq!(kind(params(), &bare), None);
        let with_model = StartRunParams { model: Some("m".into()), ..params() };
        let error = check(&with_model, &bare).expect_err("models is not declared");
        assert_eq!(error.kind(), ErrorKind::CapabilityUnsupported);
        assert_eq!(error.data.and_then(|data| data.which).as_deref(), Some("models"));
        let resume = SessionChoice { mode: SessionMode::Resume, id: Some("s".into()) };
        assert!(kind(StartRunParams { session: resume, ..params() }, &bare).is_some());
    }

    #[test]
    fn impossible_values_are_refused() {
        let all = Capabilities {
            run: Some(Marker {}),
            models: Some(Marker {}),
            effort: Some(EffortCapability { levels: vec![Effort::Low] }),
            ..Capabilities::default()
        };
        for model in ["", "--help", "a b", "x;rm", "$(x)"] {
            let params = StartRunParams { model: Some(model.into()), ..params() };
            assert_eq!(kind(params, &all), Some(ErrorKind::ModelUnknown), "{model:?}");
        }
        let effort = StartRunParams { effort: Some(Effort::Max), ..params() };
        assert_eq!(kind(effort, &all), Some(ErrorKind::CapabilityUnsupported));
        let prompt = Prompt { text: " \n".into(), ..Prompt::default() };
        assert_eq!(
            kind(StartRunParams { prompt, ..params() }, &all),
            Some(ErrorKind::ConfigInvalid)
        );
        for cwd in ["relative", "/no/such/folder/anywhere"] {
            let params = StartRunParams { cwd: cwd.into(), ..params() };
            assert_eq!(kind(params, &all), Some(ErrorKind::ConfigInvalid), "{cwd:?}");
        }
    }
}
