//! Writes a journal: accepts envelopes in order, writes them in batches, and keeps the journal valid when the disk is
//! full.

mod buffered_events;
mod event_writer;
mod fault;
#[cfg(all(test, target_os = "linux"))]
mod tests;

pub(crate) use buffered_events::{BufferedEvents, Buffering};
pub(crate) use event_writer::EventWriter;
pub(crate) use fault::{Fault, why_unreadable};

use std::io::Write;
use std::sync::Arc;

use od_protocol::{Done, Event, RunEventParams};
use tokio::sync::watch;

use super::envelope::Envelope;
use super::folder::RunFolder;
use super::os;
use super::syncer::SyncedFile;
use crate::clock::now_ms;
use crate::error::HostError;

/// Disk space for the closing events of a run, released when the disk is full.
const RESERVE_BYTES: usize = 16 * 1024;
/// The capacity that the batch keeps after a long line.
const MAX_IDLE_BATCH_BYTES: usize = 1024 * 1024;

/// The progress of a journal, for readers in the same process.
#[derive(Debug, Clone, Default)]
pub(crate) struct Progress {
    /// The bytes of complete events on disk.
    pub(crate) length: u64,
    /// The number of accepted events.
    pub(crate) events: u64,
    /// The end of the run, when readers can see it.
    pub(crate) end: Option<Arc<End>>,
    /// Events that did not fit on the disk.
    pub(crate) tail: Option<Arc<[u8]>>,
    pub(crate) phase: Phase,
}

/// The end of a run.
#[derive(Debug)]
pub(crate) struct End {
    pub(crate) done: Done,
    /// When `done` was accepted, in milliseconds since 1970.
    pub(crate) at: u64,
}

/// The phase of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    /// More events may follow.
    #[default]
    Open,
    /// The journal cannot be written; the run must end.
    Broken(String),
    /// The attempt has ended; its `done` is buffered.
    Buffered,
    /// `done` is written and synced.
    Ended,
}

/// The writer of a journal. It is used by one thread at a time: first the thread that reads the adapter, then the task
/// of the run.
#[derive(Debug)]
pub(crate) struct JournalWriter {
    run_id: String,
    folder: RunFolder,
    file: Arc<SyncedFile>,
    batch: Vec<u8>,
    length: u64,
    next_seq: u64,
    /// Added to the adapter's numbers: the events of the host and of earlier attempts.
    offset: u64,
    last_ts: u64,
    /// The attempt that may write.
    attempt: u32,
    buffering: Buffering,
    buffered: Option<BufferedEvents>,
    has_buffer_file: bool,
    end: Option<Arc<End>>,
    is_broken: bool,
    progress: watch::Sender<Progress>,
}

impl JournalWriter {
    /// Creates the journal of a new run.
    pub(crate) fn create(folder: &RunFolder, run_id: &str) -> Result<Self, HostError> {
        let failed = |error: std::io::Error| HostError::file("create", &folder.events(), &error);
        let file = os::lock_new(&folder.events()).map_err(failed)?;
        std::fs::write(folder.reserve(), [0; RESERVE_BYTES]).map_err(failed)?;
        Ok(Self::on(file, folder.clone(), run_id))
    }

    fn on(file: std::fs::File, folder: RunFolder, run_id: &str) -> Self {
        Self {
            run_id: run_id.to_owned(),
            folder,
            file: SyncedFile::register(file),
            batch: Vec::new(),
            length: 0,
            next_seq: 0,
            offset: 0,
            last_ts: 0,
            attempt: 0,
            buffering: Buffering::Off,
            buffered: None,
            has_buffer_file: false,
            end: None,
            is_broken: false,
            progress: watch::Sender::new(Progress::default()),
        }
    }

    pub(crate) fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.subscribe()
    }

    pub(crate) fn next_seq(&self) -> u64 {
        self.next_seq
    }

    /// Whether the adapter of this attempt has sent no event.
    pub(crate) fn has_no_events(&self) -> bool {
        self.next_seq == self.offset
    }

    /// The end of the run, once it is accepted.
    pub(crate) fn done(&self) -> Option<&Done> {
        self.end.as_ref().map(|end| &end.done)
    }

    /// Accepts one event; the next [`JournalWriter::flush`] writes it.
    ///
    /// # Errors
    /// The stream rule that the event violates; it is dropped then.
    pub(crate) fn accept(&mut self, envelope: &Envelope<'_>) -> Result<(), Fault> {
        if envelope.run_id != self.run_id {
            return Err(Fault::Harmless("an event of another run"));
        }
        if self.has_end() {
            return Err(Fault::Harmless("an event after `done`"));
        }
        if self.is_broken {
            return Err(Fault::Harmless("an event after the journal could not be written"));
        }
        let seq = envelope.seq + self.offset;
        if seq != self.next_seq {
            return Err(Fault::wrong_number(envelope, self.next_seq - self.offset));
        }
        let done = match envelope.type_name {
            "done" => Some(fault::read_done(envelope)?),
            _ => None,
        };
        self.next_seq = seq + 1;
        self.last_ts = envelope.ts;
        if self.buffered.is_some() || self.buffering.starts_with(envelope) {
            self.buffer(envelope, seq, done);
        } else {
            self.push_envelope(envelope, seq);
            self.set_end(done);
        }
        Ok(())
    }

    /// Whether the attempt has sent `done`.
    pub(crate) fn has_end(&self) -> bool {
        self.end.is_some() || self.buffered.as_ref().is_some_and(|events| events.done().is_some())
    }

    /// Writes an event of the host itself.
    pub(crate) fn emit(&mut self, event: Event) {
        if self.end.is_some() || self.is_broken {
            return;
        }
        let mut batch = std::mem::take(&mut self.batch);
        self.write_own(&mut batch, event);
        self.batch = batch;
        self.flush();
    }

    /// Writes the accepted events and notifies readers. After `done` it also syncs.
    pub(crate) fn flush(&mut self) {
        if let Some(events) = &mut self.buffered {
            events.save(&self.folder);
        }
        if self.is_broken || (self.batch.is_empty() && self.buffered.is_none()) {
            return;
        }
        match self.write_batch() {
            Ok(()) if self.end.is_some() => self.finish(None),
            Ok(()) => {
                self.publish(self.open_phase(), None);
                self.remove_buffer_file();
            }
            Err(error) => {
                self.is_broken = true;
                self.publish(Phase::Broken(error.to_string()), None);
            }
        }
    }

    /// Whether all accepted events are on disk.
    pub(crate) fn is_on_disk(&self) -> bool {
        self.progress.borrow().tail.is_none()
    }

    /// Accepted events that could not be written.
    pub(crate) fn unwritten(&self) -> &[u8] {
        &self.batch
    }

    /// Appends the events that close an incomplete stream. If they do not fit on the disk even without the reserve,
    /// readers of this process get them from memory.
    pub(crate) fn close(&mut self, closing: &[u8], done: Done) {
        if self.progress.borrow().phase == Phase::Ended {
            return;
        }
        self.set_end(Some(done));
        self.batch.extend_from_slice(closing);
        self.release_reserve();
        match self.write_batch() {
            Ok(()) => self.finish(None),
            Err(error) => {
                tracing::warn!(run = self.run_id, %error, "the end of the run is not on disk");
                let tail = std::mem::take(&mut self.batch);
                self.finish(Some(tail.into()));
            }
        }
    }

    /// Appends an adapter's event with its number in the journal; usually the unchanged bytes.
    fn push_envelope(&mut self, envelope: &Envelope<'_>, seq: u64) {
        match self.offset {
            0 => self.batch.extend_from_slice(envelope.bytes),
            _ => envelope.write_as(seq, &mut self.batch),
        }
        self.batch.push(b'\n');
    }

    /// Appends an event of the host itself to `lines`, with the next number.
    fn write_own(&mut self, lines: &mut Vec<u8>, event: Event) {
        let (run_id, seq) = (self.run_id.clone(), self.next_seq);
        let ts = now_ms().max(self.last_ts);
        write_line(lines, &RunEventParams { run_id, seq, ts, event, meta: None });
        self.next_seq += 1;
        self.offset += 1;
        self.last_ts = ts;
    }

    /// Writes the batch. After an error, complete events stay in the file, an incomplete one is removed from it, and the
    /// rest of the batch stays in memory.
    fn write_batch(&mut self) -> std::io::Result<()> {
        let mut written = 0;
        let mut outcome = Ok(());
        while written < self.batch.len() {
            match (&self.file.file).write(&self.batch[written..]) {
                Ok(0) => {
                    outcome = Err(std::io::ErrorKind::WriteZero.into());
                    break;
                }
                Ok(count) => written += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => {
                    outcome = Err(error);
                    break;
                }
            }
        }
        let whole = memchr::memrchr(b'\n', &self.batch[..written]).map_or(0, |end| end + 1);
        self.length += whole as u64;
        if whole < written
            && let Err(error) = self.file.file.set_len(self.length)
        {
            tracing::warn!(run = self.run_id, %error, "cannot remove an incomplete event");
        }
        self.batch.drain(..whole);
        if self.batch.is_empty() {
            self.batch.shrink_to(MAX_IDLE_BATCH_BYTES); // After a very long line.
        }
        self.file.mark_dirty();
        outcome
    }

    fn finish(&mut self, tail: Option<Arc<[u8]>>) {
        if tail.is_none() {
            // Readers see the events before the sync; `Ended` follows after it.
            self.publish(Phase::Open, None);
        }
        self.file.sync();
        self.publish(Phase::Ended, tail);
        self.release_reserve();
        self.remove_buffer_file();
    }

    fn release_reserve(&self) {
        if let Err(error) = std::fs::remove_file(self.folder.reserve()) {
            tracing::debug!(run = self.run_id, %error, "the reserve has already been removed");
        }
    }

    fn set_end(&mut self, done: Option<Done>) {
        self.end = done.map(|done| Arc::new(End { done, at: now_ms() }));
    }

    fn publish(&self, phase: Phase, tail: Option<Arc<[u8]>>) {
        self.progress.send_replace(Progress {
            length: self.length,
            events: self.next_seq,
            // Readers cannot see an end that was not written.
            end: self.end.clone().filter(|_| self.batch.is_empty()),
            tail,
            phase,
        });
    }
}

/// Appends an event of the host as a line.
pub(crate) fn write_line(lines: &mut Vec<u8>, envelope: &RunEventParams) {
    serde_json::to_writer(&mut *lines, envelope).expect("the host's events are serialisable");
    lines.push(b'\n');
}
