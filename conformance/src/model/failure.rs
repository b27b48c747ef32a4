//! What the fake model can refuse, in no vendor's words. The words are in `wire`.

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
    /// There is no such model.
    UnknownModel,
    /// There is no such address.
    UnknownRoute,
    /// The address is there, the method is not.
    WrongMethod,
    /// The request is too big.
    TooLarge,
    /// Too many requests; the next may come in a second.
    RateLimited,
    /// Too many requests; the next may come in an hour.
    RateLimitedLong,
    /// Too many requests, without a word on when to come back.
    RateLimitedBare,
    /// What was paid for is used up.
    Quota,
    /// The vendor's fault.
    ServerError,
    /// The vendor is overloaded.
    Overloaded,
    /// More text than the model can read.
    ContextOverflow,
}

/// A refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    /// Why.
    pub(super) kind: FailureKind,
    /// What is said instead of the vendor's usual words.
    pub(super) message: Option<String>,
    /// The model that was asked for.
    pub(super) model: String,
}

impl Failure {
    /// A refusal in the vendor's usual words.
    pub(super) fn of(kind: FailureKind, model: &str) -> Self {
        Self { kind, message: None, model: model.to_owned() }
    }

    /// A refusal that says what was wrong.
    pub(super) fn saying(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: Some(message.into()), model: "fake-model".to_owned() }
    }
}

/// A refusal in a vendor's words.
#[derive(Debug, Clone)]
pub(super) struct Refusal {
    /// The status of the response.
    pub(super) status: u16,
    /// Its body.
    pub(super) body: Value,
    /// Headers of its own.
    pub(super) headers: Vec<(&'static str, String)>,
}

/// When the next request may come, in seconds.
pub(super) fn retry_after(kind: FailureKind) -> Option<u64> {
    match kind {
        FailureKind::RateLimited => Some(1),
        FailureKind::RateLimitedLong => Some(3600),
        _ => None,
    }
}

/// The header every vendor uses.
pub(super) fn retry_headers(kind: FailureKind) -> Vec<(&'static str, String)> {
    retry_after(kind).map(|seconds| ("retry-after", seconds.to_string())).into_iter().collect()
}
