//! What comes of a check. A check ends with `Ok(())` or with a [`Finding`], so `?` does the rest.

use crate::transcript::Place;

/// What a check returns.
pub type Verdict = Result<(), Finding>;

/// Why a check did not pass.
#[derive(Debug, Clone)]
pub enum Finding {
    /// The adapter does not meet the requirement.
    Fail(Box<Failure>),
    /// The check does not apply.
    Skip(String),
    /// Something else must be mended first.
    Blocked(String),
    /// The adapter claims something that cannot be shown; counts as failed.
    Untestable(String),
    /// The suite itself went wrong; says nothing about the adapter.
    Suite(String),
}

/// A requirement that is not met, as its author needs to read it.
#[derive(Debug, Clone, Default)]
pub struct Failure {
    /// What the suite did or sent; empty when there is nothing to say.
    pub sent: String,
    /// What the requirement asks for.
    pub expected: String,
    /// What came instead.
    pub got: String,
    /// The line of the transcript.
    pub place: Option<Place>,
    /// The check that made the adapter say it, where a rule over every line was broken.
    pub during: Option<String>,
}

impl Failure {
    /// A failure in two halves.
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
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }
}

impl From<Failure> for Finding {
    fn from(failure: Failure) -> Self {
        Self::Fail(Box::new(failure))
    }
}

impl From<std::io::Error> for Finding {
    fn from(error: std::io::Error) -> Self {
        Self::Suite(format!("input or output of the suite itself failed: {error}"))
    }
}

/// The usual end of a check that did not pass.
pub fn fail<T>(expected: impl Into<String>, got: impl Into<String>) -> Result<T, Finding> {
    Err(Failure::new(expected, got).into())
}

/// Fails unless the condition holds.
pub fn ensure(
    condition: bool,
    expected: impl Into<String>,
    got: impl FnOnce() -> String,
) -> Verdict {
    if condition { Ok(()) } else { fail(expected, got()) }
}

/// Shortens text for a message, at a character boundary.
pub fn shorten(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let end = (0..=limit).rev().find(|&index| text.is_char_boundary(index)).unwrap_or(0);
    format!("{}… ({} bytes)", &text[..end], text.len())
}
