//! The reading end of a journal: from any event on, at the reader's own pace, with one small buffer.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::JournalEvent;
use super::envelope::Envelope;
use super::folder::RunFolder;
use super::sink::{Phase, Progress};
use crate::error::HostError;
use crate::run::recover;

const CHUNK: usize = 64 * 1024;
/// More than the protocol allows, so that only damage reaches it.
const LONGEST_LINE: usize = 17 * 1024 * 1024;
/// What a buffer may keep for the next lines.
const SPARE: usize = 16 * CHUNK;
const POLL: Duration = Duration::from_millis(20);
const OWNER_CHECK: Duration = Duration::from_millis(250);

/// Reads a journal from any event on, while it is written or later.
#[derive(Debug)]
pub struct EventReader {
    folder: RunFolder,
    file: File,
    /// Where the file itself stands; brought to `position` before it is read.
    file_position: u64,
    /// Where the bytes in the buffer end.
    position: u64,
    buffer: Vec<u8>,
    start: usize,
    scanned: usize,
    /// The first line of the buffer came by more than one look at the file.
    pieced: bool,
    /// Nothing before this number is wanted; 0 once an event was found.
    from: u64,
    source: Source,
    /// The rest are events that did not fit on the disk.
    is_beyond_file: bool,
    ended: bool,
    damaged: u64,
}

/// A place between two events, the same in every reader of a journal: its bytes never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// Where the next event begins.
    pub(crate) offset: u64,
    /// `done` lies before it.
    pub(crate) ended: bool,
}

/// Who writes.
#[derive(Debug)]
pub(crate) enum Source {
    /// This process.
    Here(watch::Receiver<Progress>),
    /// Another process, if it lives; last looked at then.
    Elsewhere(Option<Instant>),
    /// Nobody any more.
    Nobody,
}

enum Step {
    Event { line: Range<usize>, type_name: Range<usize>, seq: u64 },
    NothingYet,
    End,
}

impl EventReader {
    pub(crate) fn open(folder: RunFolder, from: u64, source: Source) -> Result<Self, HostError> {
        let file = File::open(folder.events()).map_err(|error| failed(&folder, &error))?;
        Ok(Self {
            folder,
            file,
            file_position: 0,
            position: 0,
            buffer: Vec::new(),
            start: 0,
            scanned: 0,
            pieced: false,
            from,
            source,
            is_beyond_file: false,
            ended: false,
            damaged: 0,
        })
    }

    /// The next event; waits for it while the run is going on. `None` after `done`.
    /// May be dropped while it waits (in a `select!`) without losing an event.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub async fn next(&mut self) -> Result<Option<JournalEvent<'_>>, HostError> {
        loop {
            match self.step()? {
                Step::Event { line, type_name, seq } => {
                    return Ok(Some(self.event(line, type_name, seq)));
                }
                Step::End => return Ok(None),
                Step::NothingYet => self.wait().await?,
            }
        }
    }

    /// The next event if it is already there, without waiting: lets a printer flush only when it
    /// has caught up. `None` means nothing right now.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn next_ready(&mut self) -> Result<Option<JournalEvent<'_>>, HostError> {
        Ok(match self.step()? {
            Step::Event { line, type_name, seq } => Some(self.event(line, type_name, seq)),
            Step::End | Step::NothingYet => None,
        })
    }

    /// `done` was given, or nobody is left who could write it.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Whose events these are.
    pub(crate) fn run_folder(&self) -> &Path {
        self.folder.path()
    }

    /// Where the next line begins, in the file or behind it.
    pub(crate) fn offset(&self) -> u64 {
        self.position - (self.buffer.len() - self.start) as u64
    }

    /// Where it stands, when another reader can be there too: not on the way to its first event, and not
    /// behind the end of the file.
    pub(crate) fn place(&self) -> Option<Place> {
        let is_shared = self.from == 0 && !self.is_beyond_file;
        is_shared.then(|| Place { offset: self.offset(), ended: self.ended })
    }

    /// Goes on at a place ahead that another reader has come to. False, and nothing happens, when this one may not
    /// know of it yet.
    pub(crate) fn go_to(&mut self, place: Place) -> bool {
        let is_known = match &self.source {
            Source::Here(progress) => place.offset <= progress.borrow().length,
            Source::Elsewhere(_) | Source::Nobody => true,
        };
        if !is_known {
            return false;
        }
        let buffered = self.position.checked_sub(place.offset).map(|rest| rest as usize);
        match buffered.filter(|rest| *rest <= self.buffer.len() - self.start) {
            Some(rest) => self.start = self.buffer.len() - rest,
            None => {
                self.buffer.clear();
                self.start = 0;
                self.position = place.offset;
            }
        }
        self.scanned = self.start;
        self.ended = place.ended;
        true
    }

    /// Lines that were no events and were passed over.
    pub fn damaged_lines(&self) -> u64 {
        self.damaged
    }

    fn event(&self, line: Range<usize>, type_name: Range<usize>, seq: u64) -> JournalEvent<'_> {
        let type_name = std::str::from_utf8(&self.buffer[type_name]).unwrap_or_default();
        JournalEvent { seq, type_name, bytes: &self.buffer[line] }
    }

    fn step(&mut self) -> Result<Step, HostError> {
        while !self.ended {
            let Some(line) = self.take_line() else {
                if self.fill()? || self.take_tail() {
                    continue;
                }
                match &self.source {
                    Source::Nobody => self.ended = true,
                    Source::Here(progress) if progress.borrow().phase == Phase::Ended => {
                        // The phase may have changed after the file was looked at.
                        self.ended = !self.fill()? && !self.take_tail();
                    }
                    _ => return Ok(Step::NothingYet),
                }
                continue;
            };
            if !self.is_in_the_file(&line)? {
                self.look_again_from(line.start);
                continue;
            }
            let bytes = &self.buffer[line.clone()];
            let Some(envelope) = Envelope::read(bytes) else {
                self.damaged += u64::from(!bytes.is_empty());
                continue;
            };
            self.ended = envelope.type_name == "done";
            if envelope.seq >= self.from {
                self.from = 0;
                let offset = envelope.type_name.as_ptr().addr() - bytes.as_ptr().addr();
                let start = line.start + offset;
                let type_name = start..start + envelope.type_name.len();
                return Ok(Step::Event { line, type_name, seq: envelope.seq });
            }
        }
        Ok(Step::End)
    }

    /// The next complete line in the buffer.
    fn take_line(&mut self) -> Option<Range<usize>> {
        match memchr::memchr(b'\n', &self.buffer[self.scanned..]) {
            Some(offset) => {
                let line = self.start..self.scanned + offset;
                self.start = line.end + 1;
                self.scanned = self.start;
                Some(line)
            }
            None => {
                self.scanned = self.buffer.len();
                if self.scanned - self.start > LONGEST_LINE {
                    self.start = self.scanned; // Damage: no event is that long.
                    self.damaged += 1;
                }
                None
            }
        }
    }

    /// Reads once; says whether there was something. Of a journal of this process only what its
    /// writer has published: the rest may be taken back.
    fn fill(&mut self) -> Result<bool, HostError> {
        let available = match &mut self.source {
            Source::Here(progress) => progress.borrow_and_update().length - self.position,
            _ => u64::MAX,
        };
        if available == 0 || self.is_beyond_file {
            return Ok(false);
        }
        self.buffer.drain(..self.start);
        self.scanned -= self.start;
        self.start = 0;
        self.pieced = !self.buffer.is_empty();
        if !self.pieced {
            self.buffer.shrink_to(SPARE); // After a very long line.
        }
        let read = self.read_at_position(available.min(CHUNK as u64));
        let read = read.map_err(|error| failed(&self.folder, &error))?;
        self.position += read as u64;
        self.file_position = self.position;
        Ok(read > 0)
    }

    fn read_at_position(&mut self, most: u64) -> std::io::Result<usize> {
        if self.file_position != self.position {
            self.file_position = self.file.seek(SeekFrom::Start(self.position))?;
        }
        (&self.file).take(most).read_to_end(&mut self.buffer)
    }

    /// Takes over the events that did not fit on the disk, once.
    fn take_tail(&mut self) -> bool {
        let Source::Here(progress) = &self.source else { return false };
        let tail = progress.borrow().tail.clone();
        let Some(tail) = tail else { return false };
        self.buffer.extend_from_slice(&tail);
        self.position += tail.len() as u64;
        self.is_beyond_file = true;
        self.source = Source::Nobody;
        true
    }

    /// Waits until there may be more. May be dropped while it waits.
    pub(crate) async fn wait(&mut self) -> Result<(), HostError> {
        match &mut self.source {
            Source::Here(progress) => {
                if progress.changed().await.is_err() {
                    self.source = Source::Nobody; // The writer is gone: what is there is all.
                }
            }
            Source::Elsewhere(seen) => {
                tokio::time::sleep(POLL).await;
                if seen.is_none_or(|seen| seen.elapsed() > OWNER_CHECK) {
                    *seen = Some(Instant::now());
                    let record = recover::settle_beside(&self.folder).await?;
                    if !record.status.is_alive() {
                        self.become_last_reader();
                    }
                }
            }
            Source::Nobody => {}
        }
        Ok(())
    }

    /// Whether a line stands in the file as it was read. When its owner dies in the middle of a line, another process
    /// takes that half back and writes its own lines there; what was read before and after that is no event.
    fn is_in_the_file(&mut self, line: &Range<usize>) -> Result<bool, HostError> {
        if line.start > 0 || !self.pieced || !matches!(self.source, Source::Elsewhere(_)) {
            return Ok(true);
        }
        let line = &self.buffer[..=line.end]; // With its line end.
        let begin = self.position - self.buffer.len() as u64;
        let mut again = Vec::with_capacity(line.len());
        let reading = self.file.seek(SeekFrom::Start(begin));
        let reading =
            reading.and_then(|_| (&self.file).take(line.len() as u64).read_to_end(&mut again));
        let read = reading.map_err(|error| failed(&self.folder, &error))?;
        self.file_position = begin + read as u64;
        Ok(again == line)
    }

    /// Forgets what was read from a place in the buffer on.
    fn look_again_from(&mut self, start: usize) {
        self.position -= (self.buffer.len() - start) as u64;
        self.buffer.truncate(start);
        self.start = start;
        self.scanned = start;
    }

    /// The owner has died and its journal was closed for it, perhaps shortened by half an event.
    fn become_last_reader(&mut self) {
        self.source = Source::Nobody;
        self.look_again_from(self.start);
    }
}

fn failed(folder: &RunFolder, error: &std::io::Error) -> HostError {
    HostError::storage(format!("cannot read {}", folder.events().display()), error)
}

#[cfg(test)]
mod tests;
