//! HTTP statuses, codes and texts of model providers' APIs. Agent CLIs pass them on, so these
//! tables serve every adapter. Texts are in lower case.

use od_protocol::ErrorKind;

use super::FailureReport;

/// Nothing is left of what was paid for.
const QUOTA: &[&str] = &[
    "insufficient_quota",
    "exceeded your current quota",
    "insufficient credit",
    "quota exceeded",
    "usage limit",
    "billing",
];
/// The same, but only where the provider limits requests: there "slow down" and "nothing is left"
/// share a status and a code.
const QUOTA_OF_LIMIT: &[&str] = &["quota", "credit", "insufficient"];
const RATE_LIMIT: &[&str] = &["rate limit", "rate_limit", "too many requests"];
const CONTEXT: &[&str] = &[
    "context length",
    "context_length",
    "context window",
    "maximum context",
    "is too long",
    "as too long",
    "too many tokens",
    "token limit",
    "exceeds the maximum number of tokens",
];
const MODEL: &[&str] = &[
    "model not found",
    "model_not_found",
    "modelnotfounderror",
    "does not exist or you do not have access",
    "is not found for api version",
];
const SESSION: &[&str] = &["session not found", "notfounderror: session"];
const LOGIN_MISSING: &[&str] = &[
    "not logged in",
    "api key is missing",
    "missing api key",
    "no api key",
    "authentication required",
];
const LOGIN_REFUSED: &[&str] =
    &["api key", "api_key", "unauthorized", "authentication", "not authorized"];
const UNREACHABLE: &[&str] = &[
    "overloaded",
    "server_error",
    "connection",
    "cannot connect",
    "unable to connect",
    "fetch failed",
    "error sending request",
    "stream ended",
    "stream closed",
    "stream disconnected",
    "network",
    "timed out",
    "timeout",
    "terminated",
    "socket",
    "econn",
    "enotfound",
    "high demand",
    "at capacity",
];

/// Tables in the order in which they are tried.
const TEXTS: &[(&[&str], ErrorKind)] = &[
    (QUOTA, ErrorKind::QuotaExhausted),
    (RATE_LIMIT, ErrorKind::RateLimited),
    (CONTEXT, ErrorKind::ContextExceeded),
    (MODEL, ErrorKind::ModelUnknown),
    (SESSION, ErrorKind::SessionUnknown),
    (LOGIN_MISSING, ErrorKind::AuthMissing),
    (LOGIN_REFUSED, ErrorKind::AuthExpired),
];

/// The kind of a provider's failure; `None` if neither status nor text is known.
pub(super) fn kind(report: &FailureReport<'_>) -> Option<ErrorKind> {
    let text = format!("{} {}", report.codes.join(" "), report.text).to_lowercase();
    let kind = report
        .status
        .and_then(by_unambiguous_status)
        .or_else(|| find(TEXTS, &text))
        .or_else(|| report.status.and_then(by_server_status))
        .or_else(|| find(&[(UNREACHABLE, ErrorKind::NetworkUnreachable)], &text));
    match kind {
        Some(ErrorKind::RateLimited) if is_used_up(&text) => Some(ErrorKind::QuotaExhausted),
        kind => kind,
    }
}

/// Statuses that are more precise than a text.
fn by_unambiguous_status(status: u16) -> Option<ErrorKind> {
    Some(match status {
        401 => ErrorKind::AuthExpired,
        402 => ErrorKind::QuotaExhausted,
        403 => ErrorKind::AuthWrongAccount,
        404 => ErrorKind::ModelUnknown,
        413 => ErrorKind::ContextExceeded,
        429 => ErrorKind::RateLimited,
        _ => return None,
    })
}

/// Statuses that a more precise text overrides.
fn by_server_status(status: u16) -> Option<ErrorKind> {
    matches!(status, 408 | 500..=599).then_some(ErrorKind::NetworkUnreachable)
}

fn is_used_up(text: &str) -> bool {
    let tables = QUOTA.iter().chain(QUOTA_OF_LIMIT);
    tables.into_iter().any(|part| text.contains(part))
}

fn find(tables: &[(&[&str], ErrorKind)], text: &str) -> Option<ErrorKind> {
    let matching = tables.iter().find(|(parts, _)| parts.iter().any(|part| text.contains(part)));
    matching.map(|(_, kind)| kind.clone())
}
