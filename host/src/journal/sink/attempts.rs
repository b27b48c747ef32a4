//! One journal, several attempts: where the numbers of the next adapter begin, what of an attempt is held
//! back, and what becomes of it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use od_protocol::{Done, ErrorEvent, Event};

use super::held::{Held, Hold};
use super::{Phase, Sink};
use crate::journal::envelope::Envelope;

/// One attempt's way into a journal. It is shut as soon as the next attempt begins.
#[derive(Debug, Clone)]
pub(crate) struct Intake {
    sink: Arc<Mutex<Sink>>,
    attempt: u32,
}

impl Intake {
    /// Begins the next attempt: its numbers start at 0 again.
    pub(crate) fn begin(sink: &Arc<Mutex<Sink>>, hold: Hold) -> Self {
        let mut next = sink.lock().unwrap_or_else(PoisonError::into_inner);
        next.attempt += 1;
        next.hold = hold;
        next.offset = next.next_seq;
        Self { sink: Arc::clone(sink), attempt: next.attempt }
    }

    /// The journal, while this attempt lasts.
    pub(crate) fn open(&self) -> Option<MutexGuard<'_, Sink>> {
        let sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        (sink.attempt == self.attempt).then_some(sink)
    }
}

impl Sink {
    /// What is held back of the attempt.
    pub(crate) fn held(&self) -> Option<&Held> {
        self.held.as_ref()
    }

    /// Writes what is held back as it came; with `done` among it the run is over.
    pub(crate) fn release(&mut self) {
        if let Some(held) = self.held.take() {
            let (lines, done) = held.verbatim();
            self.batch.extend_from_slice(&lines);
            self.set_end(done);
            self.flush();
        }
    }

    /// Takes what is held back as it came, but not its `done`; it is written with the next event.
    pub(crate) fn release_without_done(&mut self) {
        if let Some(held) = self.held.take() {
            let (lines, free) = held.without_done();
            self.put_back(&lines, free);
        }
    }

    /// The same with other words for its errors.
    pub(crate) fn release_rewritten(&mut self, change: impl Fn(&mut ErrorEvent)) {
        self.rewrite_held(change);
        self.release_without_done();
    }

    /// Changes the errors among what is held back.
    pub(crate) fn rewrite_held(&mut self, change: impl Fn(&mut ErrorEvent)) {
        if let Some(held) = &mut self.held {
            held.rewrite(change);
        }
    }

    /// Whether the journal cannot be written any more.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken
    }

    /// Writes the end that the host has made of the run.
    pub(crate) fn end(&mut self, done: Done) {
        let mut line = Vec::new();
        self.write_own(&mut line, Event::Done(done.clone()));
        self.close(&line, done);
    }

    pub(super) fn hold_back(&mut self, envelope: &Envelope<'_>, seq: u64, done: Option<Done>) {
        let held = self.held.get_or_insert_default();
        held.push(envelope, seq, done);
        self.held_on_disk = true;
        if held.is_too_much() {
            // Its error is told now, so it stands; only the end can still be the host's.
            self.release_without_done();
            self.hold = Hold::End;
        }
    }

    /// How the stream stands while events are held back.
    pub(super) fn open_phase(&self) -> Phase {
        match self.held.as_ref().and_then(Held::done) {
            Some(_) => Phase::Held,
            None => Phase::Open,
        }
    }

    /// What was held back is in the journal, or never will be.
    pub(super) fn forget_held(&mut self) {
        if self.held.is_none()
            && std::mem::take(&mut self.held_on_disk)
            && let Err(error) = std::fs::remove_file(self.folder.held())
        {
            tracing::debug!(run = self.run_id, %error, "nothing was held back on disk");
        }
    }

    fn put_back(&mut self, lines: &[u8], free: Option<u64>) {
        self.batch.extend_from_slice(lines);
        self.next_seq = free.unwrap_or(self.next_seq);
    }
}
