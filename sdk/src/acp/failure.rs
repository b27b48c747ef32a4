//! What an agent's error means, as far as ACP and HTTP say so. Adapters know more.

use od_protocol::{ErrorEvent, ErrorKind};

use super::dialect::Stage;
use crate::json_rpc::{METHOD_NOT_FOUND, RpcError};
use crate::wording::error_text;

/// ACP: nobody is logged in.
const AUTH_REQUIRED: i64 = -32000;
/// ACP: what was named does not exist.
const NOT_FOUND: i64 = -32002;

/// Judges an error by its code, the stage, and an HTTP status wherever one is stated.
pub fn judge(error: &RpcError, stage: Stage) -> ErrorEvent {
    let (kind, hint) = match (error.code, stage) {
        (AUTH_REQUIRED, _) | (_, Stage::Authenticate) => {
            (ErrorKind::AuthMissing, "log in with the agent CLI, or set its key")
        }
        (_, Stage::SetModel) => (ErrorKind::ModelUnknown, "`models/list` names the models"),
        (NOT_FOUND, Stage::Open) => session_unknown(),
        (METHOD_NOT_FOUND, _) => {
            (ErrorKind::CliVersionUnsupported, "upgrade the agent CLI to the tested version")
        }
        (_, Stage::Open) if error.message.to_ascii_lowercase().contains("not found") => {
            session_unknown()
        }
        _ => match http_status(error).and_then(http_failure) {
            Some(judged) => judged,
            None => (ErrorKind::CliProtocol, "see the message; `tracePath` keeps the whole talk"),
        },
    };
    let retryable = matches!(kind, ErrorKind::RateLimited | ErrorKind::NetworkUnreachable);
    let message = error_text(&text(error), &[]);
    ErrorEvent { retryable, ..ErrorEvent::fatal(kind, message).with_hint(hint) }
}

/// What a provider's HTTP status means for a run, with what to do about it; `None` for one that
/// says nothing by itself.
pub fn http_failure(status: u16) -> Option<(ErrorKind, &'static str)> {
    match status {
        401 => Some((ErrorKind::AuthExpired, "log in again, or set a valid key")),
        402 => Some((ErrorKind::QuotaExhausted, "add credit, or use another account")),
        403 => Some((ErrorKind::AuthWrongAccount, "use an account that may use this model")),
        404 => Some((ErrorKind::ModelUnknown, "`models/list` names the models")),
        413 => Some((ErrorKind::ContextExceeded, "start a new session, or shorten the prompt")),
        429 => Some((ErrorKind::RateLimited, "wait, then start the run again or resume it")),
        500..=599 => Some((
            ErrorKind::NetworkUnreachable,
            "try again; check the connection and the base URL",
        )),
        _ => None,
    }
}

fn session_unknown() -> (ErrorKind, &'static str) {
    (
        ErrorKind::SessionUnknown,
        "`sessions/list` names the sessions; use the folder it was started in",
    )
}

/// An HTTP status as the code, or among the data.
fn http_status(error: &RpcError) -> Option<u16> {
    let stated = ["status", "statusCode", "httpStatus"];
    let in_data = stated.iter().find_map(|key| error.data.get(key)?.as_u64());
    let status = in_data.or(u64::try_from(error.code).ok())?;
    u16::try_from(status).ok().filter(|status| (400..600).contains(status))
}

/// The message; where it is only "internal error", what the data adds.
fn text(error: &RpcError) -> String {
    let details =
        ["details", "message", "error"].iter().find_map(|key| error.data.get(key)?.as_str());
    match details {
        Some(details) if !error.message.contains(details) => {
            format!("{}: {details}", error.message)
        }
        _ => error.message.clone(),
    }
}
