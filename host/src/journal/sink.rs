//! The writing end of a journal: takes envelopes in order, writes each chunk at once, and keeps what
//! was written safe when the disk is full.

mod attempts;
mod fault;
mod held;
#[cfg(all(test, target_os = "linux"))]
mod tests;

pub(crate) use attempts::Intake;
pub(crate) use fault::{Fault, why_unreadable};
pub(crate) use held::{Held, Hold};

use std::io::Write;
use std::sync::Arc;

use od_protocol::{Done, Event, RunEventParams};
use tokio::sync::watch;

use super::envelope::Envelope;
use super::folder::RunFolder;
use super::os;
use super::syncer::SyncedFile;
use crate::error::HostError;
use crate::run::now_ms;

/// Room for the closing events of a run, kept back until the disk is full.
const RESERVE: usize = 16 * 1024;
/// What the buffer of a chunk may keep for the next one.
const SPARE: usize = 1024 * 1024;

/// How far a journal is, for those who read it while it is written.
#[derive(Debug, Clone, Default)]
pub(crate) struct Progress {
    /// Bytes on disk that are whole events.
    pub(crate) length: u64,
    /// How many events were taken.
    pub(crate) events: u64,
    /// The end of the run, as soon as readers can see it.
    pub(crate) end: Option<Arc<End>>,
    /// Events that did not fit on the disk any more.
    pub(crate) tail: Option<Arc<[u8]>>,
    /// How the stream stands.
    pub(crate) phase: Phase,
}

/// The end of a run.
#[derive(Debug)]
pub(crate) struct End {
    pub(crate) done: Done,
    /// When it came, in milliseconds since 1970.
    pub(crate) at: u64,
}

/// How a stream stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    /// More may come.
    #[default]
    Open,
    /// The journal cannot be written; the run must end.
    Broken(String),
    /// The attempt is over, its `done` is held back.
    Held,
    /// `done` is there and safe on disk.
    Ended,
}

/// The writing end. One owner at a time: the thread that reads the adapter, and after it has ended
/// the run's supervisor.
#[derive(Debug)]
pub(crate) struct Sink {
    run_id: String,
    folder: RunFolder,
    file: Arc<SyncedFile>,
    batch: Vec<u8>,
    length: u64,
    next_seq: u64,
    /// What is added to an adapter's own numbers: events of the host and of attempts before.
    offset: u64,
    last_ts: u64,
    /// Which attempt may write.
    attempt: u32,
    hold: Hold,
    held: Option<Held>,
    held_on_disk: bool,
    end: Option<Arc<End>>,
    broken: bool,
    progress: watch::Sender<Progress>,
}

impl Sink {
    /// Makes the journal of a new run.
    pub(crate) fn create(folder: &RunFolder, run_id: &str) -> Result<Self, HostError> {
        let failed = |error: std::io::Error| {
            HostError::storage(format!("cannot make {}", folder.events().display()), &error)
        };
        let file = os::own_new(&folder.events()).map_err(failed)?;
        std::fs::write(folder.reserve(), [0; RESERVE]).map_err(failed)?;
        Ok(Self::on(file, folder.clone(), run_id))
    }

    fn on(file: std::fs::File, folder: RunFolder, run_id: &str) -> Self {
        Self {
            run_id: run_id.to_owned(),
            folder,
            file: SyncedFile::watch(file),
            batch: Vec::new(),
            length: 0,
            next_seq: 0,
            offset: 0,
            last_ts: 0,
            attempt: 0,
            hold: Hold::Nothing,
            held: None,
            held_on_disk: false,
            end: None,
            broken: false,
            progress: watch::Sender::new(Progress::default()),
        }
    }

    /// How far it is, now and later.
    pub(crate) fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.subscribe()
    }

    /// The number the next event should have.
    pub(crate) fn next_seq(&self) -> u64 {
        self.next_seq
    }

    /// Whether the adapter has not said anything yet.
    pub(crate) fn is_unheard(&self) -> bool {
        self.next_seq == self.offset
    }

    /// The end of the run, once it has come.
    pub(crate) fn done(&self) -> Option<&Done> {
        self.end.as_ref().map(|end| &end.done)
    }

    /// Takes one event; it is written by the next [`Sink::flush`].
    ///
    /// # Errors
    /// Which rule of the stream it breaks; it is left out then.
    pub(crate) fn accept(&mut self, envelope: &Envelope<'_>) -> Result<(), Fault> {
        if envelope.run_id != self.run_id {
            return Err(Fault::Harmless("an event of another run"));
        }
        if self.has_end() {
            return Err(Fault::Harmless("an event after `done`"));
        }
        if self.broken {
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
        if self.held.is_some() || self.hold.begins_with(envelope) {
            self.hold_back(envelope, seq, done);
        } else {
            self.write_on(envelope, seq);
            self.set_end(done);
        }
        Ok(())
    }

    /// Whether the attempt has told its end, so that nothing more is expected of it.
    pub(crate) fn has_end(&self) -> bool {
        self.end.is_some() || self.held.as_ref().is_some_and(|held| held.done().is_some())
    }

    /// Writes an event of the host's own, before, between or beside those of an adapter.
    pub(crate) fn tell(&mut self, event: Event) {
        if self.end.is_some() || self.broken {
            return;
        }
        let mut batch = std::mem::take(&mut self.batch);
        self.write_own(&mut batch, event);
        self.batch = batch;
        self.flush();
    }

    /// Writes what was taken, and tells the readers. With `done` it also syncs.
    pub(crate) fn flush(&mut self) {
        if let Some(held) = &mut self.held {
            held.save(&self.folder);
        }
        if self.broken || (self.batch.is_empty() && self.held.is_none()) {
            return;
        }
        match self.write_batch() {
            Ok(()) if self.end.is_some() => self.finish(None),
            Ok(()) => {
                self.publish(self.open_phase(), None);
                self.forget_held();
            }
            Err(error) => {
                self.broken = true;
                self.publish(Phase::Broken(error.to_string()), None);
            }
        }
    }

    /// Whether all events are on disk, as far as they came.
    pub(crate) fn is_on_disk(&self) -> bool {
        self.progress.borrow().tail.is_none()
    }

    /// Events that were taken but could not be written.
    pub(crate) fn unwritten(&self) -> &[u8] {
        &self.batch
    }

    /// Appends the events that close a broken stream. Where even the reserve does not help, readers
    /// of this process get them from memory.
    pub(crate) fn close(&mut self, closing: &[u8], done: Done) {
        if self.progress.borrow().phase == Phase::Ended {
            return;
        }
        self.set_end(Some(done));
        self.batch.extend_from_slice(closing);
        self.give_reserve_back();
        match self.write_batch() {
            Ok(()) => self.finish(None),
            Err(error) => {
                tracing::warn!(run = self.run_id, %error, "the end of the run is not on disk");
                let tail = std::mem::take(&mut self.batch);
                self.finish(Some(tail.into()));
            }
        }
    }

    /// Takes an adapter's event under its number in the journal; mostly the bytes as they are.
    fn write_on(&mut self, envelope: &Envelope<'_>, seq: u64) {
        match self.offset {
            0 => self.batch.extend_from_slice(envelope.bytes),
            _ => envelope.write_as(seq, &mut self.batch),
        }
        self.batch.push(b'\n');
    }

    /// Appends an event of the host's own to some lines, under the next number.
    fn write_own(&mut self, lines: &mut Vec<u8>, event: Event) {
        let (run_id, seq) = (self.run_id.clone(), self.next_seq);
        let ts = now_ms().max(self.last_ts);
        write_line(lines, &RunEventParams { run_id, seq, ts, event, meta: None });
        self.next_seq += 1;
        self.offset += 1;
        self.last_ts = ts;
    }

    /// One write, unless the system takes less. On an error whole events stay, the rest of the batch
    /// is kept in memory, and no half of an event is left behind.
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
            tracing::warn!(run = self.run_id, %error, "cannot take back half an event");
        }
        self.batch.drain(..whole);
        if self.batch.is_empty() {
            self.batch.shrink_to(SPARE); // After a very long line.
        }
        self.file.written();
        outcome
    }

    fn finish(&mut self, tail: Option<Arc<[u8]>>) {
        if tail.is_none() {
            // Shown first, then synced: `Ended` is what a waiting client sees last.
            self.publish(Phase::Open, None);
        }
        self.file.sync();
        self.publish(Phase::Ended, tail);
        self.give_reserve_back();
        self.forget_held();
    }

    fn give_reserve_back(&self) {
        if let Err(error) = std::fs::remove_file(self.folder.reserve()) {
            tracing::debug!(run = self.run_id, %error, "the reserve is gone already");
        }
    }

    fn set_end(&mut self, done: Option<Done>) {
        self.end = done.map(|done| Arc::new(End { done, at: now_ms() }));
    }

    fn publish(&self, phase: Phase, tail: Option<Arc<[u8]>>) {
        self.progress.send_replace(Progress {
            length: self.length,
            events: self.next_seq,
            // What could not be written is no end that anybody can see.
            end: self.end.clone().filter(|_| self.batch.is_empty()),
            tail,
            phase,
        });
    }
}

/// Appends an event that the host made, as a line.
pub(crate) fn write_line(lines: &mut Vec<u8>, envelope: &RunEventParams) {
    serde_json::to_writer(&mut *lines, envelope).expect("our own events have a JSON form");
    lines.push(b'\n');
}
