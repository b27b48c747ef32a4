//! Failures that every agent CLI knows: their kind, and what a person may do about them.

use od_protocol::{ErrorEvent, ErrorKind, JsonObject};

/// A fatal failure as an event: what may go away says so; an empty hint is none, and so is empty
/// data.
pub fn event(kind: ErrorKind, message: String, hint: &str, data: JsonObject) -> ErrorEvent {
    ErrorEvent {
        retryable: matches!(kind, ErrorKind::RateLimited | ErrorKind::NetworkUnreachable),
        hint: Some(hint.to_owned()).filter(|hint| !hint.is_empty()),
        data: Some(data).filter(|data| !data.is_empty()),
        ..ErrorEvent::fatal(kind, message)
    }
}

/// The data of a failure that came with an HTTP status.
pub fn status_data(status: Option<u16>) -> JsonObject {
    status.map(|status| ("httpStatus".to_owned(), status.into())).into_iter().collect()
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_to_say_is_left_out() {
        let plain = event(ErrorKind::ModelUnknown, "no".to_owned(), "", status_data(None));
        assert_eq!((plain.hint, plain.data, plain.retryable), (None, None, false));
        let (kind, hint) = slow_down();
        let told = event(kind, "wait".to_owned(), &hint, status_data(Some(429)));
        assert!(told.retryable && told.fatal && told.hint.is_some());
        assert_eq!(told.data.expect("a status")["httpStatus"], 429);
    }
}
