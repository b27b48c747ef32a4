//! The end of a run: the last events of its journal, the usage ledger, and its record.

use od_protocol::{Done, Event};

use super::outcome::RunOutcome;
use super::repair::{Closing, Times, closing_events};
use super::task::RunTask;
use crate::clock::now_ms;
use crate::journal::RunRecord;
use crate::sync::lock;
use crate::telemetry::RunEnd;
use crate::usage;

impl RunTask {
    /// Ends the journal: with the `done` of the last attempt, or with one for this outcome.
    pub(super) fn finish(&mut self, outcome: &RunOutcome, notices: Vec<Event>) -> Done {
        let mut journal = lock(&self.journal);
        if let Some(done) = journal.done().cloned() {
            journal.close(&[], done.clone());
            return done;
        }
        let found = journal.buffered().and_then(|buffered| buffered.done()).cloned();
        if self.attempts.total() <= 1 && notices.is_empty() && found.is_some() {
            journal.release();
            return journal.done().cloned().or(found).expect("a buffered `done`");
        }
        journal.release_without_done();
        notices.into_iter().for_each(|notice| journal.emit(notice));
        journal.flush();
        let read = self.state.read_new(&self.run.folder().events());
        if let Err(error) = read.and_then(|()| self.state.read(journal.unwritten())) {
            tracing::warn!(%error, "cannot read which items of a run are still open");
            self.state.next_seq = journal.next_seq();
        }
        let (record, now) = (self.run.record(), now_ms());
        let times = Times { started: record.run_started_at(now), now };
        let prior = usage::prior_usage(self.runs.context().home(), &record);
        match found {
            Some(mut done) => {
                done.totals = self.state.totals(&prior);
                done.duration_ms = times.now.saturating_sub(times.started);
                done.session_id = done.session_id.or_else(|| self.state.session_id.clone());
                journal.end(done.clone());
                done
            }
            None => {
                let closing = Closing { run_id: &record.run_id, outcome, times, prior: &prior };
                let (lines, done) = closing_events(&self.state, &closing);
                journal.close(&lines, done.clone());
                done
            }
        }
    }

    /// Writes the usage ledger and the record, frees the slot, and wakes the clients that wait for the end.
    pub(super) async fn end(mut self, done: Done) {
        let mut record = self.run.record();
        if record.status.is_alive() {
            record.set_end(&done, now_ms()); // The journal could not be written to its end.
        }
        record.lacks_end = !lock(&self.journal).is_on_disk();
        self.record_usage(&record).await;
        record.session_id = record.session_id.take().or_else(|| self.run.last_session());
        self.update_record(|known| *known = record);
        drop(self.control.take());
        self.report_end(&done);
        self.runs.remove(&self.run);
        drop(self.slot.take());
        self.ended.send_replace(Some(done));
    }

    /// Writes a run that has ended to the usage ledger, once.
    pub(super) async fn record_usage(&self, record: &RunRecord) {
        if !record.status.is_alive() && self.usage.borrow().is_none() {
            let attempts = usage::record_run(self.run.folder(), record).await;
            self.usage.send_replace(Some(attempts));
        }
    }

    fn report_end(&self, done: &Done) {
        let usage = self.usage.borrow();
        self.context().telemetry().run_ended(&RunEnd {
            record: &self.run.record(),
            folder: self.run.folder(),
            size: self.run.journal_size(),
            done,
            attempts: usage.as_deref().unwrap_or_default(),
        });
    }
}
