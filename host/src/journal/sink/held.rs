//! Events that are held back until it is known whether the run goes on after them. They lie in a file of
//! their own beside the journal, so that they are not lost when the host dies meanwhile.

use std::fs::File;
use std::io::Write;

use od_protocol::{Done, ErrorEvent, Event, RunEventParams};

use super::write_line;
use crate::journal::envelope::Envelope;
use crate::journal::folder::RunFolder;

/// More than the few events between a fatal error and `done` ever take.
const LIMIT: usize = 1024 * 1024;

/// Which events of an attempt are held back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Hold {
    /// None.
    #[default]
    Nothing,
    /// `done`: the host writes that of the whole run.
    End,
    /// The fatal error, what follows it, and `done` in any case.
    Failure,
}

/// What is held back of one attempt.
#[derive(Debug, Default)]
pub(crate) struct Held {
    /// Whole lines, `done` not among them.
    lines: Vec<u8>,
    fatal: Option<ErrorEvent>,
    end: Option<End>,
    file: Option<File>,
    /// What the file does not have yet.
    unsaved: Vec<u8>,
}

#[derive(Debug)]
struct End {
    done: Done,
    line: Vec<u8>,
    seq: u64,
}

impl Hold {
    /// Whether an event is held back even though nothing is so far.
    pub(super) fn begins_with(self, envelope: &Envelope<'_>) -> bool {
        match (self, envelope.type_name) {
            (Self::Nothing, _) => false,
            (_, "done") => true,
            (Self::Failure, "error") => read_fatal(envelope.bytes).is_some(),
            _ => false,
        }
    }
}

impl Held {
    /// The fatal error among them.
    pub(crate) fn fatal(&self) -> Option<&ErrorEvent> {
        self.fatal.as_ref()
    }

    /// The end of the attempt.
    pub(crate) fn done(&self) -> Option<&Done> {
        self.end.as_ref().map(|end| &end.done)
    }

    /// All but `done`, for those who want to know what is open.
    pub(crate) fn lines(&self) -> &[u8] {
        &self.lines
    }

    /// Takes an event; `done` when it is one.
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

    /// No attempt has that much to say after its fatal error.
    pub(super) fn is_too_much(&self) -> bool {
        self.lines.len() > LIMIT
    }

    /// Brings what is new to the file; without one the events are safe only while the host lives.
    pub(super) fn save(&mut self, folder: &RunFolder) {
        if let Err(error) = self.try_save(folder) {
            tracing::warn!(%error, "events that are held back are not on disk");
        }
    }

    fn try_save(&mut self, folder: &RunFolder) -> std::io::Result<()> {
        if self.unsaved.is_empty() {
            return Ok(());
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(File::create(folder.held())?),
        };
        file.write_all(&std::mem::take(&mut self.unsaved))
    }

    /// As they came, `done` included.
    pub(super) fn verbatim(mut self) -> (Vec<u8>, Option<Done>) {
        let Some(end) = self.end.take() else { return (self.lines, None) };
        self.lines.extend_from_slice(&end.line);
        (self.lines, Some(end.done))
    }

    /// As they came, without `done`; the number that is free again.
    pub(super) fn without_done(self) -> (Vec<u8>, Option<u64>) {
        (self.lines, self.end.map(|end| end.seq))
    }

    /// Changes the errors among them.
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
