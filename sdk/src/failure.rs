//! Failures that every agent CLI knows: their kind, and what a person may do about them.

use od_protocol::ErrorKind;

/// The provider asks for patience.
pub fn slow_down() -> (ErrorKind, String) {
    (ErrorKind::RateLimited, "wait, then start the run again or resume it".to_owned())
}

/// Nothing is left of what was paid for.
pub fn quota_exhausted() -> (ErrorKind, String) {
    let hint = "wait for the reset, add credit, or use another account";
    (ErrorKind::QuotaExhausted, hint.to_owned())
}

/// The conversation does not fit the model's window.
pub fn context_exceeded() -> (ErrorKind, String) {
    let hint = "start a new session, or shorten the prompt and its attachments";
    (ErrorKind::ContextExceeded, hint.to_owned())
}
