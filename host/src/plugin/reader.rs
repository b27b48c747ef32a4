//! The thread that reads an adapter's stdout: splits lines, sends events to the journal and answers
//! to their callers, and counts everything else. It never waits for a client.

use std::io::PipeReader;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use od_protocol::{MAX_LINE_BYTES, Message, RUN_EVENT};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;

use super::lines::{Line, LineBuffer};
use super::transport::Pending;
use crate::journal::envelope::Envelope;
use crate::journal::sink::{Intake, Sink};
use crate::telemetry::metrics::AdapterMeter;

/// How the sdk begins an event; what follows is the envelope and one closing brace.
const EVENT_PREFIX: &[u8] = br#"{"jsonrpc":"2.0","method":"run/event","params":"#;

/// What the thread tells the rest about.
#[derive(Debug)]
pub(crate) struct Observations {
    begun: Instant,
    heard_ms: AtomicU64,
    violations: AtomicU64,
    first_violation: OnceLock<String>,
    meter: AdapterMeter,
}

impl Observations {
    pub(crate) fn new(meter: AdapterMeter) -> Self {
        Self {
            begun: Instant::now(),
            heard_ms: AtomicU64::new(0),
            violations: AtomicU64::new(0),
            first_violation: OnceLock::new(),
            meter,
        }
    }

    /// How long the adapter has said nothing.
    pub(crate) fn silence(&self) -> std::time::Duration {
        let heard = std::time::Duration::from_millis(self.heard_ms.load(Ordering::Relaxed));
        self.begun.elapsed().saturating_sub(heard)
    }

    /// How often the protocol was broken, and how the first time.
    pub(crate) fn violations(&self) -> Option<(u64, &str)> {
        match self.violations.load(Ordering::Relaxed) {
            0 => None,
            count => Some((count, self.first_violation.get().map_or("", String::as_str))),
        }
    }

    /// Where the process is counted.
    pub(crate) fn meter(&self) -> &AdapterMeter {
        &self.meter
    }

    fn heard(&self) {
        let elapsed = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.heard_ms.store(elapsed, Ordering::Relaxed);
    }

    fn violation(&self, what: &str, line: &[u8]) {
        self.meter.violation();
        if self.violations.fetch_add(1, Ordering::Relaxed) == 0 {
            let sample = String::from_utf8_lossy(&line[..line.len().min(120)]).into_owned();
            // The line may hold anything, so it goes into the run's error but not into the log.
            tracing::warn!(
                agent = self.meter.agent(),
                what,
                "an adapter breaks the protocol; further breaks are counted"
            );
            self.first_violation.get_or_init(|| format!("{what}: {sample}"));
        }
    }
}

/// What the thread works on.
pub(crate) struct OutputReader {
    pub(crate) stdout: PipeReader,
    /// Dropped at the end, which tells whoever waits for it.
    pub(crate) _open: watch::Sender<()>,
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
                Line::TooLong => self.observations.violation("a line over the limit", b""),
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
        let outcome = match sink {
            Some(sink) => sink.accept(envelope),
            None => Err("an event without a run"),
        };
        if let Err(what) = outcome {
            self.observations.violation(what, line);
        }
    }

    fn take_other(&self, line: &[u8], sink: Option<&mut Sink>) {
        let message = match Message::read(line) {
            Ok(message) => message,
            Err(error) => return self.observations.violation(&error.message, line),
        };
        match &message {
            Message::Notification { method, params: Some(params) } if method == RUN_EVENT => {
                match Envelope::read(params.get().as_bytes()) {
                    Some(envelope) => self.take_event(&envelope, line, sink),
                    None => self.observations.violation("a malformed event", line),
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
}
