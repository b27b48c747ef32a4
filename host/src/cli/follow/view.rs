//! The chosen output as bytes for stdout.

use od_host::journal::{JournalEvent, RunRecord};
use od_protocol::{Event, RunEventParams};

use crate::cli::arguments::OutputMode;
use crate::cli::render::{FinalText, Frame, Headline, Pretty};
use crate::cli::terminal::{Spinner, stdout_look};

/// One of the outputs.
#[derive(Debug)]
pub(crate) struct View {
    form: Form,
    /// Styles reach stdout.
    styled: bool,
}

#[derive(Debug)]
enum Form {
    Pretty(Box<Pretty>),
    Jsonl,
    Text(FinalText),
    Quiet,
}

impl View {
    /// The output for a run.
    pub(crate) fn new(mode: OutputMode, record: &RunRecord) -> Self {
        let form = match mode {
            OutputMode::Pretty => {
                Form::Pretty(Box::new(Pretty::new(stdout_look(), headline(record))))
            }
            OutputMode::Jsonl => Form::Jsonl,
            OutputMode::Text => Form::Text(FinalText::default()),
            OutputMode::Quiet => Form::Quiet,
        };
        let choice = anstream::AutoStream::choice(&std::io::stdout());
        Self { form, styled: choice != anstream::ColorChoice::Never }
    }

    /// Nobody reads stdout any more.
    pub(crate) fn close(&mut self) {
        self.form = Form::Quiet;
    }

    /// Whether the feed itself shows questions and the end.
    pub(crate) fn is_pretty(&self) -> bool {
        matches!(self.form, Form::Pretty(_))
    }

    /// Whether this output looks inside every event.
    pub(crate) fn reads_events(&self) -> bool {
        matches!(self.form, Form::Pretty(_) | Form::Text(_))
    }

    /// The spinner that goes with this output.
    pub(crate) fn spinner(&self) -> Spinner {
        match self.form {
            Form::Pretty(_) | Form::Text(_) => Spinner::on_terminal(),
            Form::Jsonl | Form::Quiet => Spinner::disabled(),
        }
    }

    /// What to say beside the spinner; `None` when there is no place for one.
    pub(crate) fn activity(&self) -> Option<String> {
        match &self.form {
            Form::Pretty(pretty) => pretty.activity(),
            Form::Text(_) => Some("waiting for the agent".to_owned()),
            Form::Jsonl | Form::Quiet => None,
        }
    }

    /// Something else writes to the terminal now. True when it must end an unfinished line first.
    pub(crate) fn break_line(&mut self) -> bool {
        match &mut self.form {
            Form::Pretty(pretty) => pretty.break_line(),
            Form::Jsonl | Form::Text(_) | Form::Quiet => false,
        }
    }

    /// Appends what the event changes on stdout.
    pub(crate) fn render(
        &mut self,
        event: &JournalEvent<'_>,
        envelope: Option<&RunEventParams>,
        bytes: &mut Vec<u8>,
    ) {
        match (&mut self.form, envelope) {
            (Form::Jsonl, _) => {
                bytes.extend_from_slice(event.bytes);
                bytes.push(b'\n');
            }
            (Form::Pretty(pretty), Some(envelope)) => {
                let frame = pretty.on_event(envelope);
                encode(&frame, self.styled, bytes);
            }
            (Form::Text(text), Some(envelope)) => {
                text.on_event(&envelope.event);
                if matches!(envelope.event, Event::Done(_)) {
                    bytes.extend_from_slice(text.text().as_bytes());
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

fn encode(frame: &Frame, styled: bool, bytes: &mut Vec<u8>) {
    match frame.erase_rows {
        Some(0) => bytes.extend_from_slice(b"\r\x1b[J"),
        Some(rows) => bytes.extend_from_slice(format!("\r\x1b[{rows}A\x1b[J").as_bytes()),
        None => {}
    }
    if styled {
        bytes.extend_from_slice(frame.text.as_bytes());
    } else {
        let plain = anstream::adapter::strip_str(&frame.text).to_string();
        bytes.extend_from_slice(plain.as_bytes());
    }
}
