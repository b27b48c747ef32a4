//! What both OpenAI formats share: refusals and rate limit headers.

use serde_json::{Value, json};

use crate::model::failure::{Failure, FailureKind, Refusal, retry_headers};

pub(super) fn refuse(failure: &Failure) -> Refusal {
    let error_texts = error_texts(failure.kind);
    let message = match (&failure.message, failure.kind) {
        (Some(message), _) => message.clone(),
        (None, FailureKind::UnknownModel) => {
            format!("The model `{}` does not exist or you do not have access to it.", failure.model)
        }
        (None, _) => error_texts.message.to_owned(),
    };
    Refusal {
        status: error_texts.status,
        body: json!({"error": {
            "message": message, "type": error_texts.kind, "param": null, "code": error_texts.code
        }}),
        headers: retry_headers(failure.kind),
    }
}

/// The code of a failure in a stream of the Responses format.
pub(super) fn stream_error(failure: &Failure) -> Value {
    let refusal = refuse(failure);
    let error = &refusal.body["error"];
    json!({"code": error["code"], "message": error["message"]})
}

struct ErrorTexts {
    status: u16,
    kind: &'static str,
    code: Option<&'static str>,
    message: &'static str,
}

fn error_texts(kind: FailureKind) -> ErrorTexts {
    let (status, kind, code, message) = match kind {
        FailureKind::BadRequest => {
            (400, "invalid_request_error", Some("invalid_value"), "Invalid value: 'messages'.")
        }
        FailureKind::ContextOverflow => (
            400,
            "invalid_request_error",
            Some("context_length_exceeded"),
            "This model's maximum context length is 200000 tokens. However, your messages \
             resulted in 250000 tokens. Please reduce the length of the messages.",
        ),
        FailureKind::Unauthorized => (
            401,
            "invalid_request_error",
            Some("invalid_api_key"),
            "Incorrect API key provided: fake.",
        ),
        FailureKind::Forbidden => (
            403,
            "invalid_request_error",
            Some("permission_denied"),
            "Your project does not have access to this model.",
        ),
        FailureKind::UnknownModel => {
            (404, "invalid_request_error", Some("model_not_found"), "unknown model")
        }
        FailureKind::UnknownRoute => (404, "invalid_request_error", None, "Invalid URL"),
        FailureKind::WrongMethod => {
            (405, "invalid_request_error", Some("method_not_supported"), "Not allowed to do this.")
        }
        FailureKind::TooLarge => (413, "invalid_request_error", None, "The request is too large."),
        FailureKind::RateLimited | FailureKind::RateLimitedLong | FailureKind::RateLimitedBare => (
            429,
            "rate_limit_error",
            Some("rate_limit_exceeded"),
            "Rate limit reached for this model on requests per min (RPM).",
        ),
        FailureKind::Quota => (
            429,
            "insufficient_quota",
            Some("insufficient_quota"),
            "You exceeded your current quota, please check your plan and billing details.",
        ),
        FailureKind::ServerError => (
            500,
            "server_error",
            Some("server_error"),
            "The server had an error while processing your request.",
        ),
        FailureKind::Overloaded => (
            503,
            "server_error",
            Some("server_is_overloaded"),
            "The engine is currently overloaded, please try again later.",
        ),
    };
    ErrorTexts { status, kind, code, message }
}

pub(super) fn limit_headers() -> Vec<(&'static str, String)> {
    [
        ("x-ratelimit-limit-requests", "500"),
        ("x-ratelimit-remaining-requests", "9"),
        ("x-ratelimit-reset-requests", "1m0s"),
        ("x-ratelimit-limit-tokens", "30000"),
        ("x-ratelimit-remaining-tokens", "900"),
        ("x-ratelimit-reset-tokens", "6m0s"),
    ]
    .into_iter()
    .map(|(name, value)| (name, value.to_owned()))
    .collect()
}
