//! What a failure must tell its reader: what was sent, and where it stands in the transcript. A
//! check says it in its own words; what it leaves out is filled in from the transcript.

use crate::transcript::{Place, sent_before};
use crate::verdict::{Failure, Finding, shorten};

/// How much of a line that was sent is shown.
const SENT_BYTES: usize = 300;

/// Fills in what a failure leaves out; `last` is the last line of the newest transcript.
pub fn complete(mut failure: Failure, last: Option<Place>) -> Failure {
    if failure.place.is_none() {
        failure.place = last;
    }
    if failure.sent.is_empty()
        && let Some(sent) = failure.place.as_ref().and_then(sent_before)
    {
        failure.sent = shorten(&sent, SENT_BYTES);
    }
    failure
}

/// The same for whatever a check found.
pub fn complete_finding(finding: Finding, last: Option<Place>) -> Finding {
    match finding {
        Finding::Fail(failure) => complete(*failure, last).into(),
        other => other,
    }
}
