//! Completes failures: what was sent, and the location in the transcript. A check may set both;
//! missing parts are taken from the transcript.

use super::{Failure, Finding, shorten};
use crate::transcript::{Location, sent_before};

/// How many bytes of a sent line are shown.
const MAX_SENT_BYTES: usize = 300;

/// Fills in the missing parts of a failure; `last` is the last line of the most recent transcript.
pub fn complete(mut failure: Failure, last: Option<Location>) -> Failure {
    if failure.location.is_none() {
        failure.location = last;
    }
    if failure.sent.is_empty()
        && let Some(sent) = failure.location.as_ref().and_then(sent_before)
    {
        failure.sent = shorten(&sent, MAX_SENT_BYTES);
    }
    failure
}

/// The same for any finding.
pub fn complete_finding(finding: Finding, last: Option<Location>) -> Finding {
    finding.map_failure(|failure| complete(failure, last).into())
}
