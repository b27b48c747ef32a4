//! Renders events in the chosen output format.

use od_host::journal::{JournalEvent, RunRecord};
use od_host::run::FinalText;
use od_protocol::{Event, RunEventParams};

use crate::cli::arguments::OutputMode;
use crate::cli::render::{Frame, Headline, Pretty};
use crate::cli::terminal::{Spinner, sanitize, stdout_viewport};

/// One of the output formats.
#[derive(Debug)]
pub(crate) struct View {
    format: Format,
    /// stdout shows styles.
    is_styled: bool,
}

#[derive(Debug)]
enum Format {
    Pretty(Box<Pretty>),
    Jsonl,
    Text(FinalText),
    Quiet,
}

impl View {
    /// The view of a run.
    pub(crate) fn new(mode: OutputMode, record: &RunRecord) -> Self {
        let format = match mode {
            OutputMode::Pretty => {
                Format::Pretty(Box::new(Pretty::new(stdout_viewport(), headline(record))))
            }
            OutputMode::Jsonl => Format::Jsonl,
            OutputMode::Text => Format::Text(FinalText::default()),
            OutputMode::Quiet => Format::Quiet,
        };
        let choice = anstream::AutoStream::choice(&std::io::stdout());
        Self { format, is_styled: choice != anstream::ColorChoice::Never }
    }

    /// Stops rendering: the reader of stdout is gone.
    pub(crate) fn close(&mut self) {
        self.format = Format::Quiet;
    }

    /// Whether the feed itself shows questions and the end.
    pub(crate) fn is_pretty(&self) -> bool {
        matches!(self.format, Format::Pretty(_))
    }

    /// Whether this format needs every event parsed.
    pub(crate) fn reads_events(&self) -> bool {
        matches!(self.format, Format::Pretty(_) | Format::Text(_))
    }

    /// The spinner of this format.
    pub(crate) fn spinner(&self) -> Spinner {
        match self.format {
            Format::Pretty(_) | Format::Text(_) => Spinner::on_terminal(),
            Format::Jsonl | Format::Quiet => Spinner::disabled(),
        }
    }

    /// The text beside the spinner; `None` when it cannot be shown.
    pub(crate) fn activity(&self) -> Option<String> {
        match &self.format {
            Format::Pretty(pretty) => pretty.activity(),
            Format::Text(_) => Some("waiting for the agent".to_owned()),
            Format::Jsonl | Format::Quiet => None,
        }
    }

    /// Lets something else write to the terminal. True when the caller must end an unfinished line first.
    pub(crate) fn break_line(&mut self) -> bool {
        match &mut self.format {
            Format::Pretty(pretty) => pretty.break_line(),
            Format::Jsonl | Format::Text(_) | Format::Quiet => false,
        }
    }

    /// Appends what the event adds to stdout.
    pub(crate) fn render(
        &mut self,
        event: &JournalEvent<'_>,
        envelope: Option<&RunEventParams>,
        bytes: &mut Vec<u8>,
    ) {
        match (&mut self.format, envelope) {
            (Format::Jsonl, _) => {
                bytes.extend_from_slice(event.bytes);
                bytes.push(b'\n');
            }
            (Format::Pretty(pretty), Some(envelope)) => {
                let frame = pretty.on_event(envelope);
                encode(&frame, self.is_styled, bytes);
            }
            (Format::Text(text), Some(envelope)) => {
                text.on_event(&envelope.event);
                if matches!(envelope.event, Event::Done(_)) {
                    let last = sanitize(text.text());
                    if !last.trim().is_empty() {
                        bytes.extend_from_slice(last.trim().as_bytes());
                        bytes.push(b'\n');
                    }
                }
            }
            _ => {}
        }
    }
}

fn headline(record: &RunRecord) -> Headline {
    Headline {
        agent: record.first_agent.as_ref().unwrap_or(&record.agent).clone(),
        cwd: record.cwd.to_string_lossy().into_owned(),
        now: jiff::Zoned::now(),
    }
}

fn encode(frame: &Frame, is_styled: bool, bytes: &mut Vec<u8>) {
    match frame.erase_rows {
        Some(0) => bytes.extend_from_slice(b"\r\x1b[J"),
        Some(rows) => bytes.extend_from_slice(format!("\r\x1b[{rows}A\x1b[J").as_bytes()),
        None => {}
    }
    if is_styled {
        bytes.extend_from_slice(frame.text.as_bytes());
    } else {
        let plain = anstream::adapter::strip_str(&frame.text).to_string();
        bytes.extend_from_slice(plain.as_bytes());
    }
}
