//! Violations of the stream rules by an event of an adapter, and their consequence.

use od_protocol::{Done, Event, RunEventParams};

use crate::journal::envelope::Envelope;

/// A violation of the stream rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The event is counted and dropped; the run continues.
    Harmless(&'static str),
    /// The stream would be incomplete from here on: the run must end.
    Fatal(String),
}

impl Fault {
    /// An event that is repeated, missing or out of order.
    pub(super) fn wrong_number(envelope: &Envelope<'_>, expected: u64) -> Self {
        let Envelope { type_name, seq, .. } = envelope;
        Self::Fatal(format!("its event {type_name:?} has the number {seq} instead of {expected}"))
    }
}

/// Why the parameters are not an event.
pub(crate) fn why_unreadable(params: &[u8]) -> String {
    match serde_json::from_slice::<RunEventParams>(params) {
        Err(error) => error.to_string(),
        Ok(_) => "its number is too large, or a name is written with escapes".to_owned(),
    }
}

/// Parses the end of an attempt, which must be valid because it decides how the run continues.
pub(super) fn read_done(envelope: &Envelope<'_>) -> Result<Done, Fault> {
    let unreadable = |reason: String| {
        let number = envelope.seq;
        Fault::Fatal(format!("its `done` with the number {number} cannot be parsed: {reason}"))
    };
    match serde_json::from_slice::<RunEventParams>(envelope.bytes) {
        Ok(RunEventParams { event: Event::Done(done), .. }) => Ok(done),
        Ok(params) => Err(unreadable(format!("it is {:?}", params.event.type_name()))),
        Err(error) => Err(unreadable(error.to_string())),
    }
}
