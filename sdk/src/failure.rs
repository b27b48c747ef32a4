//! Classifies failures: turns what an agent CLI reports (an HTTP status, codes, a text) into an
//! error kind with a hint.
//!
//! Statuses and texts of model providers, which every agent CLI passes on, are known here (see
//! `failure/provider.rs`). What one CLI adds is data of its adapter: a constant [`FailureRules`].
//!
//! ```
//! use od_protocol::ErrorKind;
//! use od_sdk::failure::{FailureReport, FailureRules, classify, rule};
//!
//! const RULES: FailureRules = FailureRules {
//!     vendor: "example",
//!     adapter_id: "example",
//!     texts: &[rule(&["No saved session"], ErrorKind::SessionUnknown, "")],
//!     ..FailureRules::DEFAULT
//! };
//!
//! let report = FailureReport { status: Some(429), text: "Slow down.", ..Default::default() };
//! let classified = classify(&report, &RULES);
//! assert_eq!(classified.kind, ErrorKind::RateLimited);
//! assert!(classified.retryable);
//! ```

pub mod extract;
mod hint;
mod provider;
mod rules;

use od_protocol::{Credential, ErrorEvent, ErrorKind, JsonObject, StopReason};

use crate::text::error_text;
pub use rules::{FailureRules, Rule, own_rule, rule};

/// What an agent CLI reports about a failure.
#[derive(Debug, Clone, Copy, Default)]
pub struct FailureReport<'a> {
    /// The HTTP status of the provider's reply.
    pub status: Option<u16>,
    /// Machine-readable codes or types, the most precise one first.
    pub codes: &'a [&'a str],
    /// The text for people.
    pub text: &'a str,
    /// The credential of the run, for the hint of a refused login.
    pub credential: Option<&'a Credential>,
}

/// The meaning of a failure.
#[derive(Debug, Clone, PartialEq)]
pub struct Classification {
    /// What a program branches on.
    pub kind: ErrorKind,
    /// Whether the same request may succeed later.
    pub retryable: bool,
    /// What a person can do.
    pub hint: Option<String>,
    /// Whether a rule matched; without one the kind is the CLI's [`FailureRules::unknown`].
    pub is_known: bool,
}

/// Classifies a failure. The order: the CLI's codes, the CLI's texts, statuses that are
/// unambiguous, codes and texts of providers, the remaining statuses.
pub fn classify(report: &FailureReport<'_>, rules: &FailureRules) -> Classification {
    let own = rules.find_code(report.codes).or_else(|| rules.find_text(report.text));
    if let Some(rule) = own {
        return rules.apply(rule, report);
    }
    match provider::kind(report) {
        Some(kind) => rules.classification(kind, report),
        None => rules.unknown_failure(report),
    }
}

/// Classifies a failure and builds the event: message, hint and the HTTP status as data.
pub fn classify_event(report: &FailureReport<'_>, rules: &FailureRules) -> ErrorEvent {
    classify(report, rules).into_event(report, rules)
}

/// Finds the line of stderr by which the CLI refuses to start ([`FailureRules::refusals`]).
pub fn classify_stderr(stderr: &str, rules: &FailureRules) -> Option<ErrorEvent> {
    let mut lines = stderr.lines().map(str::trim).filter(|line| !line.is_empty());
    let (line, rule) = lines.find_map(|line| Some((line, rules.find_refusal(line)?)))?;
    let report = FailureReport { text: line, ..FailureReport::default() };
    Some(rules.apply(rule, &report).into_event(&report, rules))
}

/// Why the model stopped, where the kind implies it.
pub fn stop_reason(kind: &ErrorKind) -> StopReason {
    match kind.as_str().rsplit('.').next() {
        Some("max_turns") => StopReason::MaxTurnRequests,
        Some("max_output_tokens") => StopReason::MaxTokens,
        Some("refusal") => StopReason::Refusal,
        _ => StopReason::Error,
    }
}

/// Whether the provider limits the requests: `rate_limited` or `quota_exhausted`.
pub fn is_limit(kind: &ErrorKind) -> bool {
    matches!(kind, ErrorKind::RateLimited | ErrorKind::QuotaExhausted)
}

/// Event data with the HTTP status, empty without one.
pub fn status_data(status: Option<u16>) -> JsonObject {
    status.map(|status| ("httpStatus".to_owned(), status.into())).into_iter().collect()
}

impl Classification {
    /// A fatal error event. Its message is the report's text in the protocol's form.
    pub fn into_event(self, report: &FailureReport<'_>, rules: &FailureRules) -> ErrorEvent {
        let data = status_data(report.status);
        ErrorEvent {
            retryable: self.retryable,
            hint: self.hint,
            data: Some(data).filter(|data| !data.is_empty()),
            ..ErrorEvent::fatal(self.kind, error_text(report.text, rules.names))
        }
    }
}

/// Adds a value to the data of an error event.
pub fn add_data(event: &mut ErrorEvent, name: &str, value: Option<u64>) {
    if let Some(value) = value {
        event.data.get_or_insert_default().insert(name.to_owned(), value.into());
    }
}

#[cfg(test)]
mod tests;
