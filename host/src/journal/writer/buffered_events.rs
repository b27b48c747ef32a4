//! Events that are buffered until it is known whether another attempt follows. They are saved to a file beside the
//! journal, so that they are not lost when the host dies.

use std::fs::File;
use std::io::Write;

use od_protocol::{Done, ErrorEvent, Event, RunEventParams};

use super::write_line;
use crate::journal::envelope::Envelope;
use crate::journal::folder::RunFolder;

/// Usually a few events follow a fatal error.
const MAX_BUFFERED_BYTES: usize = 1024 * 1024;

/// Which events of an attempt are buffered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Buffering {
    /// None.
    #[default]
    Off,
    /// `done`: the host writes the one of the whole run.
    Done,
    /// A fatal error with all events after it, and always `done`.
    Failure,
}

/// The buffered events of one attempt.
#[derive(Debug, Default)]
pub(crate) struct BufferedEvents {
    /// Complete lines without `done`.
    lines: Vec<u8>,
    fatal: Option<ErrorEvent>,
    end: Option<End>,
    file: Option<File>,
    /// Lines that are not in the file yet.
    unsaved: Vec<u8>,
}

#[derive(Debug)]
struct End {
    done: Done,
    line: Vec<u8>,
    seq: u64,
}

impl Buffering {
    /// Whether buffering starts with this event.
    pub(super) fn starts_with(self, envelope: &Envelope<'_>) -> bool {
        match (self, envelope.type_name) {
            (Self::Off, _) => false,
            (_, "done") => true,
            (Self::Failure, "error") => read_fatal(envelope.bytes).is_some(),
            _ => false,
        }
    }
}

impl BufferedEvents {
    /// The fatal error among them.
    pub(crate) fn fatal(&self) -> Option<&ErrorEvent> {
        self.fatal.as_ref()
    }

    /// The end of the attempt.
    pub(crate) fn done(&self) -> Option<&Done> {
        self.end.as_ref().map(|end| &end.done)
    }

    /// All lines except `done`.
    pub(crate) fn lines(&self) -> &[u8] {
        &self.lines
    }

    /// Adds an event; `done` is its parsed form if it is one.
    pub(super) fn push(&mut self, envelope: &Envelope<'_>, seq: u64, done: Option<Done>) {
        let mut line = Vec::new();
        envelope.write_as(seq, &mut line);
        line.push(b'\n');
        self.unsaved.extend_from_slice(&line);
        match done {
            Some(done) => self.end = Some(End { done, line, seq }),
            None => {
                if envelope.type_name == "error" {
                    self.fatal = self.fatal.take().or_else(|| read_fatal(envelope.bytes));
                }
                self.lines.extend_from_slice(&line);
            }
        }
    }

    /// Whether the limit is exceeded.
    pub(super) fn is_full(&self) -> bool {
        self.lines.len() > MAX_BUFFERED_BYTES
    }

    /// Saves new lines to the file. If that fails, the events exist only in memory.
    pub(super) fn save(&mut self, folder: &RunFolder) {
        if let Err(error) = self.try_save(folder) {
            tracing::warn!(%error, "cannot save buffered events");
        }
    }

    fn try_save(&mut self, folder: &RunFolder) -> std::io::Result<()> {
        if self.unsaved.is_empty() {
            return Ok(());
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(File::create(folder.buffer_file())?),
        };
        file.write_all(&std::mem::take(&mut self.unsaved))
    }

    /// Returns all lines with `done`.
    pub(super) fn verbatim(mut self) -> (Vec<u8>, Option<Done>) {
        let Some(end) = self.end.take() else { return (self.lines, None) };
        self.lines.extend_from_slice(&end.line);
        (self.lines, Some(end.done))
    }

    /// Returns the lines without `done`, and the number that becomes free.
    pub(super) fn without_done(self) -> (Vec<u8>, Option<u64>) {
        (self.lines, self.end.map(|end| end.seq))
    }

    pub(super) fn rewrite(&mut self, change: impl Fn(&mut ErrorEvent)) {
        let mut lines = Vec::with_capacity(self.lines.len());
        for line in self.lines.split_inclusive(|byte| *byte == b'\n') {
            match serde_json::from_slice::<RunEventParams>(line) {
                Ok(RunEventParams { run_id, seq, ts, event: Event::Error(mut error), meta }) => {
                    change(&mut error);
                    let event = Event::Error(error);
                    write_line(&mut lines, &RunEventParams { run_id, seq, ts, event, meta });
                }
                _ => lines.extend_from_slice(line),
            }
        }
        self.lines = lines;
    }
}

fn read_fatal(bytes: &[u8]) -> Option<ErrorEvent> {
    match serde_json::from_slice::<RunEventParams>(bytes).ok()?.event {
        Event::Error(error) if error.fatal => Some(error),
        _ => None,
    }
}
