//! Refusals, independent of the wire format. `wire` formats them.

use serde_json::Value;

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The request is wrong.
    BadRequest,
    /// The key is wrong.
    Unauthorized,
    /// The key does not allow it.
    Forbidden,
    /// The model does not exist.
    UnknownModel,
    /// The address does not exist.
    UnknownRoute,
    /// The address exists, but not for this method.
    WrongMethod,
    /// The request is too big.
    TooLarge,
    /// Too many requests; retry after a second.
    RateLimited,
    /// Too many requests; retry after an hour.
    RateLimitedLong,
    /// Too many requests, without a time for a retry.
    RateLimitedBare,
    /// The quota is exhausted.
    Quota,
    ServerError,
    /// The server is overloaded.
    Overloaded,
    /// The text does not fit the context window.
    ContextOverflow,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) kind: FailureKind,
    /// Replaces the usual message.
    pub(super) message: Option<String>,
    pub(super) model: String,
}

impl Failure {
    /// A refusal with the usual message.
    pub(super) fn of(kind: FailureKind, model: &str) -> Self {
        Self { kind, message: None, model: model.to_owned() }
    }

    /// A refusal with a specific message.
    pub(super) fn with_message(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: Some(message.into()), model: "fake-model".to_owned() }
    }
}

/// A refusal in a wire format.
#[derive(Debug, Clone)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) body: Value,
    pub(super) headers: Vec<(&'static str, String)>,
}

/// The time until a retry, in seconds.
pub(super) fn retry_after(kind: FailureKind) -> Option<u64> {
    match kind {
        FailureKind::RateLimited => Some(1),
        FailureKind::RateLimitedLong => Some(3600),
        _ => None,
    }
}

/// The header that all wire formats share.
pub(super) fn retry_headers(kind: FailureKind) -> Vec<(&'static str, String)> {
    retry_after(kind).map(|seconds| ("retry-after", seconds.to_string())).into_iter().collect()
}
