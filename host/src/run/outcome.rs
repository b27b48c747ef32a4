//! How a run ends that its agent did not end.

use od_protocol::{ErrorEvent, ErrorKind, ErrorObject, JsonObject};

/// The error kind of a run whose journal cannot be written.
pub const JOURNAL_FAILED: &str = "_od.journal_failed";
/// The error kind of a run whose host died.
pub const HOST_DIED: &str = "_od.host_died";

/// How a run ends that its agent did not end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RunOutcome {
    Cancelled,
    Failed(Box<ErrorEvent>),
    /// A time limit was exceeded.
    TimedOut(Box<ErrorEvent>),
}

impl RunOutcome {
    /// A failure with the error of the protocol.
    pub(crate) fn failed(error: ErrorObject) -> Self {
        Self::Failed(Box::new(fatal(error)))
    }

    /// A time limit was exceeded; `which` names the limit.
    pub(crate) fn timed_out(
        which: &str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        let mut error = ErrorEvent::fatal(ErrorKind::Timeout, message).with_hint(hint);
        error.data = Some(JsonObject::from_iter([("which".to_owned(), which.into())]));
        Self::TimedOut(Box::new(error))
    }

    /// The limit for the whole run (`task.timeouts.totalMs`) was exceeded.
    pub(super) fn total_timeout() -> Self {
        Self::timed_out(
            "total",
            "the run took longer than its limit",
            "allow more time: --timeout SECONDS, or task.timeouts.totalMs",
        )
    }

    /// The limit for the wait in the queue (`queueMs`) was exceeded.
    pub(super) fn queue_timeout(limit: std::time::Duration) -> Self {
        let text = format!("the run waited in the queue for its limit of {} ms", limit.as_millis());
        let hint = "allow a longer wait (queueMs), or more runs at the same time ([limits] in settings.toml)";
        match Self::timed_out("queue", text, hint) {
            Self::TimedOut(error) => {
                Self::TimedOut(Box::new(ErrorEvent { retryable: true, ..*error }))
            }
            other => other,
        }
    }
}

fn fatal(error: ErrorObject) -> ErrorEvent {
    let mut event = ErrorEvent::fatal(error.kind(), error.message);
    if let Some(data) = error.data {
        event.hint = data.hint;
        event.retryable = data.retryable;
        event.data = data.details;
    }
    event
}
