//! Findings of checks and their details.

use crate::process;
use crate::transcript::Location;

/// What a check returns.
pub type CheckOutcome = Result<(), Finding>;

/// Why a check did not pass.
#[derive(Debug, Clone)]
pub enum Finding {
    /// The adapter does not meet the requirement.
    Fail(Box<Failure>),
    /// The check does not apply.
    Skip(String),
    /// Another problem must be fixed first.
    Blocked(String),
    /// The adapter declares something that the pack cannot demonstrate; counts as failed.
    Untestable(String),
    /// The suite itself failed; the adapter was not evaluated.
    Suite(String),
}

/// A requirement that is not met, with the details that the adapter's author needs.
#[derive(Debug, Clone, Default)]
pub struct Failure {
    /// What the suite did or sent; may be empty.
    pub sent: String,
    /// What the requirement expects.
    pub expected: String,
    /// What was received instead.
    pub got: String,
    /// The line of the transcript.
    pub location: Option<Location>,
    /// The check during which an invariant was violated.
    pub during: Option<String>,
}

impl Failure {
    /// Creates a failure.
    pub fn new(expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self { expected: expected.into(), got: got.into(), ..Self::default() }
    }

    /// Adds what the suite did or sent.
    #[must_use]
    pub fn sent(mut self, sent: impl Into<String>) -> Self {
        self.sent = sent.into();
        self
    }

    /// Adds the line of the transcript.
    #[must_use]
    pub fn at(mut self, location: Location) -> Self {
        self.location = Some(location);
        self
    }
}

impl Finding {
    /// Returns why the check has no result; `None` for a failure.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Fail(_) => None,
            Self::Skip(reason)
            | Self::Blocked(reason)
            | Self::Untestable(reason)
            | Self::Suite(reason) => Some(reason),
        }
    }

    /// Replaces a failure by another finding; other findings stay as they are.
    #[must_use]
    pub fn map_failure(self, change: impl FnOnce(Failure) -> Self) -> Self {
        match self {
            Self::Fail(failure) => change(*failure),
            other => other,
        }
    }
}

impl From<Failure> for Finding {
    fn from(failure: Failure) -> Self {
        Self::Fail(Box::new(failure))
    }
}

impl From<std::io::Error> for Finding {
    fn from(error: std::io::Error) -> Self {
        Self::Suite(format!("I/O error in the suite: {error}"))
    }
}

/// Returns a failure.
pub fn fail<T>(expected: impl Into<String>, got: impl Into<String>) -> Result<T, Finding> {
    Err(Failure::new(expected, got).into())
}

/// Returns a failure unless the condition holds.
pub fn ensure(
    condition: bool,
    expected: impl Into<String>,
    got: impl FnOnce() -> String,
) -> CheckOutcome {
    if condition { Ok(()) } else { fail(expected, got()) }
}

/// Returns a skip if the condition holds.
pub fn skip_if(condition: bool, reason: &str) -> CheckOutcome {
    if condition { Err(Finding::Skip(reason.to_owned())) } else { Ok(()) }
}

/// Returns a skip on systems that cannot inspect processes.
pub fn needs_process_inspection() -> CheckOutcome {
    skip_if(!process::CAN_INSPECT, "processes cannot be inspected on this system")
}

/// Truncates text for a message, at a character boundary.
pub fn shorten(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let end = (0..=limit).rev().find(|&index| text.is_char_boundary(index)).unwrap_or(0);
    format!("{}… ({} bytes)", &text[..end], text.len())
}
