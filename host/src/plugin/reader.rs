//! The thread that reads an adapter's stdout: splits lines, sends events to the journal and answers
//! to their callers, and counts everything else. It never waits for a client. An event that breaks the
//! rules of the stream is the last one it takes; whoever watches the run is told.

use std::io::PipeReader;
use std::sync::Arc;

use od_protocol::{MAX_LINE_BYTES, Message, RUN_EVENT};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;

use super::lines::{Line, LineBuffer};
use super::observations::{Breach, Observations};
use super::transport::Pending;
use crate::journal::envelope::Envelope;
use crate::journal::sink::{Fault, Intake, Sink, why_unreadable};

/// How the sdk begins an event; what follows is the envelope and one closing brace.
const EVENT_PREFIX: &[u8] = br#"{"jsonrpc":"2.0","method":"run/event","params":"#;

/// What the thread works on.
pub(crate) struct OutputReader {
    pub(crate) stdout: PipeReader,
    /// Tells whoever waits for it of a breach, and of the end by being dropped.
    pub(crate) open: watch::Sender<()>,
    /// Where the events of the one run of this process go; without a run there are none.
    pub(crate) intake: Option<Intake>,
    pub(crate) answers: UnboundedSender<Vec<u8>>,
    pub(crate) pending: Pending,
    pub(crate) observations: Arc<Observations>,
}

impl OutputReader {
    /// Reads until the end. Dropping the channel of answers tells the callers.
    pub(crate) fn run(mut self) {
        let mut lines = LineBuffer::new(usize::try_from(MAX_LINE_BYTES).unwrap_or(usize::MAX));
        loop {
            match lines.read_from(&mut self.stdout) {
                Ok(0) => break,
                Ok(_) => self.take_lines(&mut lines),
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

    fn take_lines(&self, lines: &mut LineBuffer) {
        self.observations.heard();
        let mut sink = self.intake.as_ref().and_then(Intake::open);
        while let Some(line) = lines.next_line() {
            match line {
                Line::Whole(line) => self.take_line(line, sink.as_deref_mut()),
                Line::TooLong(length) => {
                    self.breach(Breach::long_line(length), b"", sink.as_deref());
                }
            }
        }
        if let Some(sink) = sink.as_deref_mut() {
            sink.flush();
        }
    }

    fn take_line(&self, line: &[u8], sink: Option<&mut Sink>) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let usual = line.strip_prefix(EVENT_PREFIX).and_then(|rest| rest.strip_suffix(b"}"));
        if let Some(envelope) = usual.and_then(Envelope::read) {
            self.take_event(&envelope, line, sink);
        } else if !line.trim_ascii().is_empty() {
            self.take_other(line, sink);
        }
    }

    fn take_event(&self, envelope: &Envelope<'_>, line: &[u8], sink: Option<&mut Sink>) {
        let Some(sink) = sink else {
            return self.observations.violation("an event without a run", line);
        };
        if self.observations.breach().is_some() {
            return self.observations.violation("an event after the protocol was broken", line);
        }
        match sink.accept(envelope) {
            Ok(()) => {}
            Err(Fault::Harmless(what)) => self.observations.violation(what, line),
            Err(Fault::Fatal(what)) => self.breach(Breach::of_stream(what), line, Some(sink)),
        }
    }

    fn take_other(&self, line: &[u8], sink: Option<&mut Sink>) {
        let message = match Message::read(line) {
            Ok(message) => message,
            Err(error) if looks_like_an_event(line) => {
                return self.breach(Breach::unreadable(&error.message), line, sink.as_deref());
            }
            Err(error) => return self.observations.violation(&error.message, line),
        };
        match &message {
            Message::Notification { method, params } if method == RUN_EVENT => {
                let params = params.map_or("null", |params| params.get()).as_bytes();
                match Envelope::read(params) {
                    Some(envelope) => self.take_event(&envelope, line, sink),
                    None => {
                        let breach = Breach::unreadable(&why_unreadable(params));
                        self.breach(breach, line, sink.as_deref());
                    }
                }
            }
            Message::Response { id, .. } => {
                let answer = id.get().parse().ok();
                match answer.and_then(|id| self.pending.admit(id, line, &message)) {
                    // A caller that has given up has taken the channel with it.
                    Some(answer) => drop(self.answers.send(answer)),
                    None => self.observations.violation("an answer nobody waits for", line),
                }
            }
            Message::Notification { .. } => {
                self.observations.violation("an unknown notification", line);
            }
            Message::Request { .. } => self.observations.violation("a request to the host", line),
        }
    }

    /// The stream of the run is broken and gets no further event. Without a run, or after its end, that costs
    /// nothing.
    fn breach(&self, breach: Breach, line: &[u8], sink: Option<&Sink>) {
        self.observations.violation(breach.name, line);
        if sink.is_some_and(|sink| !sink.has_end()) && self.observations.keep(breach) {
            self.open.send_replace(());
        }
    }
}

/// Whether a line that is no message was meant to be an event. Whatever else a library prints is none.
fn looks_like_an_event(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"{")
        && memchr::memmem::find(line, br#""run/event""#).is_some()
}
