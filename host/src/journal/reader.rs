//! The reading end of a journal: from any event on, at the reader's own pace, with one small buffer.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
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
    /// Bytes read from the file so far.
    position: u64,
    buffer: Vec<u8>,
    start: usize,
    scanned: usize,
    from: u64,
    source: Source,
    ended: bool,
    damaged: u64,
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
            position: 0,
            buffer: Vec::new(),
            start: 0,
            scanned: 0,
            from,
            source,
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
            let bytes = &self.buffer[line.clone()];
            let Some(envelope) = Envelope::read(bytes) else {
                self.damaged += u64::from(!bytes.is_empty());
                continue;
            };
            self.ended = envelope.type_name == "done";
            if envelope.seq >= self.from {
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
        if available == 0 {
            return Ok(false);
        }
        self.buffer.drain(..self.start);
        self.scanned -= self.start;
        self.start = 0;
        if self.buffer.is_empty() {
            self.buffer.shrink_to(SPARE); // After a very long line.
        }
        let read = (&self.file).take(available.min(CHUNK as u64)).read_to_end(&mut self.buffer);
        let read = read.map_err(|error| failed(&self.folder, &error))?;
        self.position += read as u64;
        Ok(read > 0)
    }

    /// Takes over the events that did not fit on the disk, once.
    fn take_tail(&mut self) -> bool {
        let Source::Here(progress) = &self.source else { return false };
        let tail = progress.borrow().tail.clone();
        let Some(tail) = tail else { return false };
        self.buffer.extend_from_slice(&tail);
        self.source = Source::Nobody;
        true
    }

    async fn wait(&mut self) -> Result<(), HostError> {
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
                        self.become_last_reader()?;
                    }
                }
            }
            Source::Nobody => {}
        }
        Ok(())
    }

    /// The owner has died and its journal was closed for it, perhaps shortened by half an event.
    fn become_last_reader(&mut self) -> Result<(), HostError> {
        self.source = Source::Nobody;
        let whole = self.position - (self.buffer.len() - self.start) as u64;
        self.buffer.truncate(self.start);
        self.scanned = self.start;
        self.position = whole;
        let seek = self.file.seek(SeekFrom::Start(whole));
        seek.map_err(|error| failed(&self.folder, &error))?;
        Ok(())
    }
}

fn failed(folder: &RunFolder, error: &std::io::Error) -> HostError {
    HostError::storage(format!("cannot read {}", folder.events().display()), error)
}
