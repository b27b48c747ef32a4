//! Classifies errors of ACP replies. Adapters may know more (see `Dialect::failure`).

use od_protocol::{ErrorEvent, ErrorKind};

use super::dialect::Stage;
use crate::failure::{self, FailureReport, FailureRules};
use crate::json_rpc::{METHOD_NOT_FOUND, RpcError};

/// ACP: the user is not logged in.
const AUTH_REQUIRED: i64 = -32000;
/// ACP: the named resource does not exist.
const NOT_FOUND: i64 = -32002;

const RULES: FailureRules = FailureRules {
    hints: &[
        (ErrorKind::AuthExpired, "log in again, or set a valid key"),
        (ErrorKind::QuotaExhausted, "add credit, or use another account"),
        (ErrorKind::AuthWrongAccount, "use an account that may use this model"),
        (ErrorKind::ModelUnknown, "`models/list` lists the models"),
        (ErrorKind::ContextExceeded, "start a new session, or shorten the prompt"),
        (
            ErrorKind::SessionUnknown,
            "`sessions/list` lists the sessions; use the folder it was started in",
        ),
        (ErrorKind::CliVersionUnsupported, "upgrade the agent CLI to the tested version"),
        (ErrorKind::CliProtocol, "see the message; `tracePath` records all messages"),
    ],
    ..FailureRules::DEFAULT
};

/// Classifies an error by its code, the stage, and an HTTP status wherever one is stated.
pub fn classify(error: &RpcError, stage: Stage) -> ErrorEvent {
    let text = text(error);
    let report = FailureReport { status: http_status(error), text: &text, ..Default::default() };
    let is_not_found = || error.message.to_ascii_lowercase().contains("not found");
    let by_stage = match (error.code, stage) {
        (AUTH_REQUIRED, _) | (_, Stage::Authenticate) => Some(ErrorKind::AuthMissing),
        (_, Stage::SetModel) => Some(ErrorKind::ModelUnknown),
        (NOT_FOUND, Stage::Open) => Some(ErrorKind::SessionUnknown),
        (METHOD_NOT_FOUND, _) => Some(ErrorKind::CliVersionUnsupported),
        (_, Stage::Open) if is_not_found() => Some(ErrorKind::SessionUnknown),
        _ => None,
    };
    let classification = match by_stage {
        Some(kind) => RULES.classification(kind, &report),
        None => failure::classify(&report, &RULES),
    };
    let classification = match classification.is_known {
        true => classification,
        false => RULES.classification(ErrorKind::CliProtocol, &report),
    };
    classification.into_event(&FailureReport { status: None, ..report }, &RULES)
}

/// Returns the HTTP status, which is the code or a field of the data.
fn http_status(error: &RpcError) -> Option<u16> {
    let stated = ["status", "statusCode", "httpStatus"];
    let in_data = stated.iter().find_map(|key| error.data.get(key)?.as_u64());
    let status = in_data.or(u64::try_from(error.code).ok())?;
    u16::try_from(status).ok().filter(|status| (400..600).contains(status))
}

/// Returns the message, with the details of the data: some messages are only "internal error".
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
