//! What can be wrong with an event that an adapter sends, and what it costs.

use od_protocol::{Done, Event, RunEventParams};

use crate::journal::envelope::Envelope;

/// What is wrong with an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is counted and left out; the run goes on.
    Harmless(&'static str),
    /// From here on the stream would not tell what happened: the run must end.
    Fatal(String),
}

impl Fault {
    /// An event that came twice, too late, or before another one.
    pub(super) fn wrong_number(envelope: &Envelope<'_>, expected: u64) -> Self {
        let Envelope { type_name, seq, .. } = envelope;
        Self::Fatal(format!(
            "its event {type_name:?} has the number {seq}, expected was {expected}"
        ))
    }
}

/// Why the parameters of an event are none.
pub(crate) fn why_unreadable(params: &[u8]) -> String {
    match serde_json::from_slice::<RunEventParams>(params) {
        Err(error) => error.to_string(),
        Ok(_) => "its number is too large, or a name is written with escapes".to_owned(),
    }
}

/// The end of an attempt, which decides what becomes of the run and so must be whole.
pub(super) fn read_done(envelope: &Envelope<'_>) -> Result<Done, Fault> {
    let unreadable = |reason: String| {
        let number = envelope.seq;
        Fault::Fatal(format!("its `done` with the number {number} cannot be read: {reason}"))
    };
    match serde_json::from_slice::<RunEventParams>(envelope.bytes) {
        Ok(RunEventParams { event: Event::Done(done), .. }) => Ok(done),
        Ok(params) => Err(unreadable(format!("it is {:?}", params.event.type_name()))),
        Err(error) => Err(unreadable(error.to_string())),
    }
}
