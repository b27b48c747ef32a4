//! A violated rule of the event stream.

use serde_json::Value;

/// A violated rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Violation {
    /// The rule's id.
    pub(super) rule: &'static str,
    /// What it expects.
    pub(super) expected: String,
    /// What was received instead.
    pub(super) got: String,
}

impl Violation {
    /// Creates a violation.
    pub(super) fn new(
        rule: &'static str,
        expected: impl Into<String>,
        got: impl Into<String>,
    ) -> Self {
        Self { rule, expected: expected.into(), got: got.into() }
    }
}

/// Returns a text member of an event; empty if it is absent.
pub(super) fn text(event: &Value, name: &str) -> String {
    event[name].as_str().unwrap_or_default().to_owned()
}
