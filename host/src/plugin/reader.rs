//! The thread that reads an adapter's stdout: splits lines, writes events to the journal, passes responses to their
//! callers, and counts everything else as a violation. It never waits for a client. After a fatal violation it accepts
//! no further event.

use std::io::PipeReader;
use std::sync::Arc;

use od_os::lines::{Line, LineBuffer};
use od_protocol::adapter::RUN_EVENT;
use od_protocol::{MAX_LINE_BYTES, Message};
use tokio::sync::watch;

use super::observations::{FatalViolation, Observations};
use super::pending_calls::PendingCalls;
use crate::journal::envelope::Envelope;
use crate::journal::writer::{EventWriter, Fault, JournalWriter, why_unreadable};

/// The usual beginning of an event line; the envelope and one closing brace follow.
const EVENT_PREFIX: &[u8] = br#"{"jsonrpc":"2.0","method":"run/event","params":"#;

/// The state of the thread.
pub(crate) struct OutputReader {
    pub(crate) stdout: PipeReader,
    /// Notifies receivers of a fatal violation; closes at the end of the output.
    pub(crate) open: watch::Sender<()>,
    /// Where the events of the run go; `None` without a run.
    pub(crate) events: Option<EventWriter>,
    pub(crate) calls: PendingCalls,
    pub(crate) observations: Arc<Observations>,
}

impl OutputReader {
    /// Reads until the end of the output.
    pub(crate) fn run(mut self) {
        let mut lines = LineBuffer::new(usize::try_from(MAX_LINE_BYTES).unwrap_or(usize::MAX));
        loop {
            match lines.read_from(&mut self.stdout) {
                Ok(0) => break,
                Ok(_) => self.read_lines(&mut lines),
                Err(error) => {
                    tracing::warn!(%error, "cannot read an adapter's output");
                    break;
                }
            }
        }
        let rest = lines.rest();
        if !rest.trim_ascii().is_empty() {
            self.observations.violation("a last line without a line end", rest);
        }
    }

    fn read_lines(&self, lines: &mut LineBuffer) {
        self.observations.mark_activity();
        let mut journal = self.events.as_ref().and_then(EventWriter::open);
        while let Some(line) = lines.next_line() {
            match line {
                Line::Whole(line) => self.read_line(line, journal.as_deref_mut()),
                Line::TooLong(length) => {
                    self.end_stream(FatalViolation::long_line(length), b"", journal.as_deref());
                }
            }
        }
        if let Some(journal) = journal.as_deref_mut() {
            journal.flush();
        }
    }

    fn read_line(&self, line: &[u8], journal: Option<&mut JournalWriter>) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let usual = line.strip_prefix(EVENT_PREFIX).and_then(|rest| rest.strip_suffix(b"}"));
        if let Some(envelope) = usual.and_then(Envelope::read) {
            self.accept_event(&envelope, line, journal);
        } else if !line.trim_ascii().is_empty() {
            self.read_other(line, journal);
        }
    }

    fn accept_event(
        &self,
        envelope: &Envelope<'_>,
        line: &[u8],
        journal: Option<&mut JournalWriter>,
    ) {
        let Some(journal) = journal else {
            return self.observations.violation("an event without a run", line);
        };
        if self.observations.fatal_violation().is_some() {
            return self.observations.violation("an event after a fatal violation", line);
        }
        match journal.accept(envelope) {
            Ok(()) => {}
            Err(Fault::Harmless(what)) => self.observations.violation(what, line),
            Err(Fault::Fatal(what)) => {
                self.end_stream(FatalViolation::of_stream(what), line, Some(journal))
            }
        }
    }

    fn read_other(&self, line: &[u8], journal: Option<&mut JournalWriter>) {
        let message = match Message::read(line) {
            Ok(message) => message,
            Err(error) if looks_like_an_event(line) => {
                return self.end_stream(
                    FatalViolation::unreadable(&error.message),
                    line,
                    journal.as_deref(),
                );
            }
            Err(error) => return self.observations.violation(&error.message, line),
        };
        match &message {
            Message::Notification { method, params } if method == RUN_EVENT => {
                let params = params.map_or("null", |params| params.get()).as_bytes();
                match Envelope::read(params) {
                    Some(envelope) => self.accept_event(&envelope, line, journal),
                    None => {
                        let violation = FatalViolation::unreadable(&why_unreadable(params));
                        self.end_stream(violation, line, journal.as_deref());
                    }
                }
            }
            Message::Response { id, outcome } => {
                if !self.calls.resolve(id, *outcome) {
                    self.observations.violation("a response to no request", line);
                }
            }
            Message::Notification { .. } => {
                self.observations.violation("an unknown notification", line);
            }
            Message::Request { .. } => self.observations.violation("a request to the host", line),
        }
    }

    /// Ends the stream of the run. Without a run, or after its end, the violation is only counted.
    fn end_stream(&self, violation: FatalViolation, line: &[u8], journal: Option<&JournalWriter>) {
        self.observations.violation(violation.name, line);
        if journal.is_some_and(|journal| !journal.has_end())
            && self.observations.set_fatal_violation(violation)
        {
            self.open.send_replace(());
        }
    }
}

impl Drop for OutputReader {
    /// Fails the calls whose response can no longer arrive.
    fn drop(&mut self) {
        self.calls.close();
    }
}

/// Whether a line that is not a message was meant to be an event, and not output of a library.
fn looks_like_an_event(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"{")
        && memchr::memmem::find(line, br#""run/event""#).is_some()
}
