//! What went wrong, in the protocol's words: from an error by name, or from its text alone.

use od_protocol::{
    Credential, CredentialKind, ErrorEvent, ErrorKind, JsonObject, RateLimited, StopReason,
};
use serde_json::Value;

use super::native::{ErrorData, NamedError};
use crate::failure::{self, context_exceeded, quota_exhausted, slow_down};
use crate::wording::error_text;

/// The error by which a run that was stopped says so.
const ABORTED: &str = "MessageAbortedError";
/// Names that stay as they are at the start of a text.
const NAMES: &[&str] = &["OpenCode"];
/// Put before texts by the library that calls the model.
const LIBRARY_PREFIX: &str = "AI_APICallError: ";

/// Whether the error only says that the run was stopped.
pub fn is_abort(error: &NamedError) -> bool {
    error.name == ABORTED
}

/// An error by name. `credential` is who pays: the hint of a refused login depends on it.
pub fn judge(error: &NamedError, credential: Option<&Credential>) -> ErrorEvent {
    let ErrorData { message, status_code, response_body, .. } = &error.data;
    let everything = format!("{message} {}", response_body.as_deref().unwrap_or_default());
    let (kind, hint) = match (error.name.as_str(), status_code) {
        ("ContextOverflowError", _) | (_, Some(413)) => context_exceeded(),
        ("ProviderAuthError", _) => login(ErrorKind::AuthMissing, credential),
        ("MessageOutputLengthError", _) => vendor("max_output_tokens", "ask for less at once"),
        ("ContentFilterError", _) => {
            vendor("refusal", "rephrase the prompt, or choose another model")
        }
        ("StructuredOutputError", _) => {
            vendor("output_schema_unmet", "simplify the output schema, or choose another model")
        }
        (_, Some(401)) => login(ErrorKind::AuthExpired, credential),
        (_, Some(403)) => login(ErrorKind::AuthWrongAccount, credential),
        (_, Some(402)) => quota_exhausted(),
        (_, Some(429)) if is_quota(&everything) => quota_exhausted(),
        (_, Some(429)) => slow_down(),
        (_, Some(500..=599)) => unreachable_model(),
        _ => by_text(&everything, credential),
    };
    let mut data = JsonObject::new();
    if let Some(status) = status_code {
        data.insert("httpStatus".to_owned(), (*status).into());
    }
    if let Some(wait) = retry_after_ms(&error.data.response_headers) {
        data.insert("retryAfterMs".to_owned(), wait.into());
    }
    event(kind, hint, message, data)
}

/// An error of which only the text is known: from a log, or through another protocol.
pub fn judge_text(text: &str, credential: Option<&Credential>) -> ErrorEvent {
    let text = text.strip_prefix(LIBRARY_PREFIX).unwrap_or(text);
    let (kind, hint) = by_text(text, credential);
    event(kind, hint, text, JsonObject::new())
}

/// Why the model stopped, when this went wrong.
pub fn stop_reason(kind: &ErrorKind) -> StopReason {
    match kind.as_str() {
        "_opencode.max_output_tokens" => StopReason::MaxTokens,
        "_opencode.refusal" => StopReason::Refusal,
        _ => StopReason::Error,
    }
}

/// What an error that asks to slow down says about it.
pub fn rate_limited(failure: &ErrorEvent) -> Option<RateLimited> {
    if failure.kind != ErrorKind::RateLimited {
        return None;
    }
    let wait = failure.data.as_ref().and_then(|data| data.get("retryAfterMs")?.as_u64());
    Some(RateLimited {
        retry_after_ms: wait,
        resets_at: None,
        window: None,
        source: "provider".to_owned(),
    })
}

fn by_text(text: &str, credential: Option<&Credential>) -> (ErrorKind, String) {
    let text = text.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if is_quota(&text) {
        quota_exhausted()
    } else if says(&["rate limit", "rate_limit", "too many requests"]) {
        slow_down()
    } else if says(&["context length", "context window", "prompt is too long", "input is too long"])
    {
        context_exceeded()
    } else if says(&["model not found", "modelnotfounderror"]) {
        (ErrorKind::ModelUnknown, "`opencode models` names the models: provider/model".to_owned())
    } else if says(&["session not found", "notfounderror: session"]) {
        (ErrorKind::SessionUnknown, "`opencode session list` names the sessions".to_owned())
    } else if says(&["api key", "api_key", "unauthorized", "authentication"]) {
        login(ErrorKind::AuthExpired, credential)
    } else if says(&[
        "cannot connect",
        "unable to connect",
        "socket connection",
        "connection reset",
        "econn",
        "timed out",
    ]) {
        unreachable_model()
    } else {
        (ErrorKind::Vendor("_opencode.error".to_owned()), String::new())
    }
}

fn is_quota(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["insufficient_quota", "exceeded your current quota", "insufficient credit", "billing"]
        .iter()
        .any(|words| text.contains(words))
}

fn event(kind: ErrorKind, hint: String, message: &str, data: JsonObject) -> ErrorEvent {
    // Some texts carry a stack behind their first line.
    let message = message.split("\n    at ").next().unwrap_or_default();
    failure::event(kind, error_text(message, NAMES), &hint, data)
}

fn login(kind: ErrorKind, credential: Option<&Credential>) -> (ErrorKind, String) {
    let hint = match credential {
        Some(credential) if credential.kind == CredentialKind::ApiKey => {
            format!("{} was refused: set a valid one, or `opencode auth login`", credential.name)
        }
        _ => "log in to the model's provider: `opencode auth login`".to_owned(),
    };
    (kind, hint)
}

fn unreachable_model() -> (ErrorKind, String) {
    let hint = "try again; check the connection and the provider's baseURL in opencode.json";
    (ErrorKind::NetworkUnreachable, hint.to_owned())
}

fn vendor(word: &str, hint: &str) -> (ErrorKind, String) {
    (ErrorKind::Vendor(format!("_opencode.{word}")), hint.to_owned())
}

/// How long the model asks to wait.
fn retry_after_ms(headers: &Value) -> Option<u64> {
    let number = |name: &str| headers.get(name)?.as_str()?.trim().parse::<f64>().ok();
    let millis = number("retry-after-ms").or_else(|| Some(number("retry-after")? * 1000.0))?;
    (millis >= 0.0).then_some(millis as u64)
}
