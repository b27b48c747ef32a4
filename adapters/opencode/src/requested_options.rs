//! Rejects options of a run that OpenCode cannot honour.

use od_protocol::adapter::StartRunParams;
use od_protocol::{ErrorKind, ErrorObject, SessionMode};

/// Longer ids are rejected.
const MAX_SESSION_ID_BYTES: usize = 200;

/// Rejects a malformed session id, an id for a new session, and a model without its provider.
///
/// # Errors
/// `session_unknown`, `capability_unsupported`, `model_unknown`.
pub fn check_requested_options(start_run_params: &StartRunParams) -> Result<(), ErrorObject> {
    if let Some(model) = start_run_params.model.as_deref().filter(|model| !model.contains('/')) {
        let message = format!("{model:?} is not a model of OpenCode: expected provider/model");
        return Err(ErrorObject::new(ErrorKind::ModelUnknown, message)
            .with_hint("list them: opencode models"));
    }
    let Some(id) = start_run_params.session.id.as_deref() else { return Ok(()) };
    if start_run_params.session.mode == SessionMode::New {
        let message = "OpenCode creates session ids itself";
        return Err(ErrorObject::new(ErrorKind::CapabilityUnsupported, message)
            .with_which("sessionId")
            .with_hint("omit session.id"));
    }
    let is_allowed =
        |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
    let is_safe = !id.is_empty()
        && id.len() <= MAX_SESSION_ID_BYTES
        && !id.starts_with('-')
        && id.chars().all(is_allowed);
    match is_safe {
        true => Ok(()),
        false => Err(ErrorObject::new(
            ErrorKind::SessionUnknown,
            format!("{id:?} is not a session of OpenCode: expected an id like ses_1e26fb0b3ffe"),
        )
        .with_hint("list them: opencode session list")),
    }
}
