//! Reads a journal from any event on, at the reader's own pace, with one small buffer.

#[cfg(any(feature = "serve", test))]
mod position;

#[cfg(feature = "serve")]
pub(crate) use position::Position;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::JournalEvent;
use super::envelope::Envelope;
use super::folder::RunFolder;
use super::settle::{SettleRun, settle_in_background};
use super::writer::{Phase, Progress};
use crate::error::HostError;

const CHUNK_BYTES: usize = 64 * 1024;
/// Above the limit of the protocol, so that only damaged files reach it.
const MAX_LINE_BYTES: usize = 17 * 1024 * 1024;
/// The capacity that the buffer keeps after a long line.
const MAX_IDLE_BUFFER_BYTES: usize = 16 * CHUNK_BYTES;
const POLL_INTERVAL: Duration = Duration::from_millis(20);
const OWNER_CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// Reads a journal from any event on, while it is written or later.
#[derive(Debug)]
pub struct EventReader {
    folder: RunFolder,
    file: File,
    /// The position of the file handle; moved to `position` before reading.
    file_position: u64,
    /// The position in the file of the end of the buffer.
    position: u64,
    buffer: Vec<u8>,
    start: usize,
    scanned: usize,
    /// The first line of the buffer was read in several parts.
    is_partial: bool,
    /// The first requested number; 0 after the first event.
    from: u64,
    source: Source,
    /// Only events that did not fit on the disk follow.
    is_beyond_file: bool,
    has_ended: bool,
    damaged: u64,
}

/// The process that writes the journal.
#[derive(Debug)]
pub(crate) enum Source {
    /// This process.
    ThisProcess(watch::Receiver<Progress>),
    /// Another process, which may have died.
    OtherProcess {
        /// When the owner was last checked.
        checked_at: Option<Instant>,
        /// Closes the run if its owner died.
        settle: SettleRun,
    },
    /// None: the journal is complete.
    Finished,
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
            is_partial: false,
            from,
            source,
            is_beyond_file: false,
            has_ended: false,
            damaged: 0,
        })
    }

    /// Returns the next event; waits for it while the run is running. `None` after `done`. Cancel-safe.
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

    /// Returns the next event if it is available, without waiting; `None` otherwise. Lets a printer flush only when it
    /// has caught up.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn next_ready(&mut self) -> Result<Option<JournalEvent<'_>>, HostError> {
        Ok(match self.step()? {
            Step::Event { line, type_name, seq } => Some(self.event(line, type_name, seq)),
            Step::End | Step::NothingYet => None,
        })
    }

    /// The number of lines that are not events and were skipped.
    pub fn damaged_lines(&self) -> u64 {
        self.damaged
    }

    fn event(&self, line: Range<usize>, type_name: Range<usize>, seq: u64) -> JournalEvent<'_> {
        let type_name = std::str::from_utf8(&self.buffer[type_name]).unwrap_or_default();
        JournalEvent { seq, type_name, bytes: &self.buffer[line] }
    }

    fn step(&mut self) -> Result<Step, HostError> {
        while !self.has_ended {
            let Some(line) = self.take_line() else {
                if self.fill()? || self.append_tail() {
                    continue;
                }
                match &self.source {
                    Source::Finished => self.has_ended = true,
                    Source::ThisProcess(progress) if progress.borrow().phase == Phase::Ended => {
                        // More may have been written after the file was read.
                        self.has_ended = !self.fill()? && !self.append_tail();
                    }
                    _ => return Ok(Step::NothingYet),
                }
                continue;
            };
            if !self.is_unchanged(&line)? {
                self.discard_from(line.start);
                continue;
            }
            let bytes = &self.buffer[line.clone()];
            let Some(envelope) = Envelope::read(bytes) else {
                self.damaged += u64::from(!bytes.is_empty());
                continue;
            };
            self.has_ended = envelope.type_name == "done";
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
                if self.scanned - self.start > MAX_LINE_BYTES {
                    self.start = self.scanned; // Damaged: no event is that long.
                    self.damaged += 1;
                }
                None
            }
        }
    }

    /// Reads once; returns whether there was anything. Of a journal of this process only published bytes are read: the
    /// writer may remove the rest.
    fn fill(&mut self) -> Result<bool, HostError> {
        let available = match &mut self.source {
            Source::ThisProcess(progress) => progress.borrow_and_update().length - self.position,
            _ => u64::MAX,
        };
        if available == 0 || self.is_beyond_file {
            return Ok(false);
        }
        self.buffer.drain(..self.start);
        self.scanned -= self.start;
        self.start = 0;
        self.is_partial = !self.buffer.is_empty();
        if !self.is_partial {
            self.buffer.shrink_to(MAX_IDLE_BUFFER_BYTES); // After a very long line.
        }
        let read = self.read_at_position(available.min(CHUNK_BYTES as u64));
        let read = read.map_err(|error| failed(&self.folder, &error))?;
        self.position += read as u64;
        self.file_position = self.position;
        Ok(read > 0)
    }

    fn read_at_position(&mut self, limit: u64) -> std::io::Result<usize> {
        if self.file_position != self.position {
            self.file_position = self.file.seek(SeekFrom::Start(self.position))?;
        }
        (&self.file).take(limit).read_to_end(&mut self.buffer)
    }

    /// Appends the events that did not fit on the disk, once.
    fn append_tail(&mut self) -> bool {
        let Source::ThisProcess(progress) = &self.source else { return false };
        let tail = progress.borrow().tail.clone();
        let Some(tail) = tail else { return false };
        self.buffer.extend_from_slice(&tail);
        self.position += tail.len() as u64;
        self.is_beyond_file = true;
        self.source = Source::Finished;
        true
    }

    /// Waits until there may be more events. Cancel-safe.
    pub(crate) async fn wait(&mut self) -> Result<(), HostError> {
        match &mut self.source {
            Source::ThisProcess(progress) => {
                if progress.changed().await.is_err() {
                    self.source = Source::Finished; // The writer is gone, so no more events follow.
                }
            }
            Source::OtherProcess { checked_at, settle } => {
                tokio::time::sleep(POLL_INTERVAL).await;
                if checked_at.is_none_or(|checked_at| checked_at.elapsed() > OWNER_CHECK_INTERVAL) {
                    *checked_at = Some(Instant::now());
                    let record = settle_in_background(&self.folder, *settle).await?;
                    if !record.status.is_alive() {
                        self.become_last_reader();
                    }
                }
            }
            Source::Finished => {}
        }
        Ok(())
    }

    /// Whether a line in the buffer still matches the file. When the owner dies in the middle of a line, another process
    /// removes the incomplete line and writes its own lines there; a line read in parts from both is not an event.
    fn is_unchanged(&mut self, line: &Range<usize>) -> Result<bool, HostError> {
        if line.start > 0 || !self.is_partial || !matches!(self.source, Source::OtherProcess { .. })
        {
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

    /// Discards the buffer from this index on, to read it again.
    fn discard_from(&mut self, start: usize) {
        self.position -= (self.buffer.len() - start) as u64;
        self.buffer.truncate(start);
        self.start = start;
        self.scanned = start;
    }

    /// The owner died, and its journal was closed, perhaps after an incomplete line was removed.
    fn become_last_reader(&mut self) {
        self.source = Source::Finished;
        self.discard_from(self.start);
    }
}

fn failed(folder: &RunFolder, error: &std::io::Error) -> HostError {
    HostError::file("read", &folder.events(), error)
}

#[cfg(test)]
mod tests;
