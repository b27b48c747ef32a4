//! Several attempts in one journal: each has its own numbers, and its last events may be buffered until the host
//! decides whether another attempt follows.

use std::sync::{Arc, Mutex, MutexGuard};

use od_protocol::{Done, ErrorEvent, Event};

use super::buffered_events::{BufferedEvents, Buffering};
use super::{JournalWriter, Phase};
use crate::journal::envelope::Envelope;
use crate::sync::lock;

/// The access of one attempt to a journal. It ends when the next attempt begins.
#[derive(Debug, Clone)]
pub(crate) struct EventWriter {
    journal: Arc<Mutex<JournalWriter>>,
    attempt: u32,
}

impl EventWriter {
    /// Begins the next attempt: its numbers start at 0 again.
    pub(crate) fn begin(journal: &Arc<Mutex<JournalWriter>>, buffering: Buffering) -> Self {
        let mut next = lock(journal);
        next.attempt += 1;
        next.buffering = buffering;
        next.offset = next.next_seq;
        Self { journal: Arc::clone(journal), attempt: next.attempt }
    }

    /// The journal, while this attempt lasts.
    pub(crate) fn open(&self) -> Option<MutexGuard<'_, JournalWriter>> {
        let journal = lock(&self.journal);
        (journal.attempt == self.attempt).then_some(journal)
    }
}

impl JournalWriter {
    /// The buffered events of the attempt.
    pub(crate) fn buffered(&self) -> Option<&BufferedEvents> {
        self.buffered.as_ref()
    }

    /// Writes the buffered events unchanged; with `done` the run has ended.
    pub(crate) fn release(&mut self) {
        if let Some(events) = self.buffered.take() {
            let (lines, done) = events.verbatim();
            self.batch.extend_from_slice(&lines);
            self.set_end(done);
            self.flush();
        }
    }

    /// Accepts the buffered events without `done`; they are written with the next event.
    pub(crate) fn release_without_done(&mut self) {
        if let Some(events) = self.buffered.take() {
            let (lines, free) = events.without_done();
            self.batch.extend_from_slice(&lines);
            self.next_seq = free.unwrap_or(self.next_seq);
        }
    }

    /// Accepts the buffered events without `done` and with changed errors.
    pub(crate) fn release_rewritten(&mut self, change: impl Fn(&mut ErrorEvent)) {
        self.rewrite_buffered(change);
        self.release_without_done();
    }

    pub(crate) fn rewrite_buffered(&mut self, change: impl Fn(&mut ErrorEvent)) {
        if let Some(events) = &mut self.buffered {
            events.rewrite(change);
        }
    }

    /// Whether writing the journal has failed.
    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Writes `done` of the whole run.
    pub(crate) fn end(&mut self, done: Done) {
        let mut line = Vec::new();
        self.write_own(&mut line, Event::Done(done.clone()));
        self.close(&line, done);
    }

    pub(super) fn buffer(&mut self, envelope: &Envelope<'_>, seq: u64, done: Option<Done>) {
        let events = self.buffered.get_or_insert_default();
        events.push(envelope, seq, done);
        self.has_buffer_file = true;
        if events.is_full() {
            // The error becomes visible and cannot be changed any more; only `done` can still be replaced.
            self.release_without_done();
            self.buffering = Buffering::Done;
        }
    }

    /// The phase while events are buffered.
    pub(super) fn open_phase(&self) -> Phase {
        match self.buffered.as_ref().and_then(BufferedEvents::done) {
            Some(_) => Phase::Buffered,
            None => Phase::Open,
        }
    }

    /// Removes the file of buffered events that are in the journal or were dropped.
    pub(super) fn remove_buffer_file(&mut self) {
        if self.buffered.is_none()
            && std::mem::take(&mut self.has_buffer_file)
            && let Err(error) = std::fs::remove_file(self.folder.buffer_file())
        {
            tracing::debug!(run = self.run_id, %error, "cannot remove the file of buffered events");
        }
    }
}
