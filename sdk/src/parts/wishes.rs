//! What a run may not ask of such an agent, however it is driven.

use od_protocol::{ErrorKind, ErrorObject, SessionMode, StartRunParams};

/// The longest id of a session that is handed on.
const SESSION_LENGTH: usize = 200;

/// Refuses a session id that cannot be one, an id for a new session, and a model without its
/// provider.
///
/// # Errors
/// `session_unknown`, `capability_unsupported`, `model_unknown`.
pub fn check_wishes(start_run_params: &StartRunParams) -> Result<(), ErrorObject> {
    if let Some(model) = start_run_params.model.as_deref().filter(|model| !model.contains('/')) {
        let message = format!("{model:?} is no model of OpenCode: they are named provider/model");
        return Err(ErrorObject::new(ErrorKind::ModelUnknown, message)
            .with_hint("`opencode models` names them"));
    }
    let Some(id) = start_run_params.session.id.as_deref() else { return Ok(()) };
    if start_run_params.session.mode == SessionMode::New {
        let message = "OpenCode gives its sessions their ids itself";
        return Err(ErrorObject::new(ErrorKind::CapabilityUnsupported, message)
            .with_which("sessionId")
            .with_hint("leave session.id out"));
    }
    let is_allowed =
        |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
    let is_safe = !id.is_empty()
        && id.len() <= SESSION_LENGTH
        && !id.starts_with('-')
        && id.chars().all(is_allowed);
    match is_safe {
        true => Ok(()),
        false => Err(ErrorObject::new(
            ErrorKind::SessionUnknown,
            format!("{id:?} is no session of OpenCode: its ids are like ses_1e26fb0b3ffe"),
        )
        .with_hint("`opencode session list` names them")),
    }
}
