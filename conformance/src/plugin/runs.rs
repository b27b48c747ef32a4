//! Starting runs and waiting for what they say.

use std::time::Duration;

use od_protocol::{CancelRunParams, CancelRunResult, DoneStatus, START_RUN, StartRunParams};

use super::calls::Answer;
use super::launch::Plugin;
use super::record::{Received, RunRecord};
use crate::play::Play;
use crate::stand_in::Invocation;
use crate::verdict::{Failure, Finding, shorten};

/// How long a `done` is waited for once one has been missing: the verdict is known by then.
const IMPATIENT: Duration = Duration::from_secs(2);

impl Plugin {
    /// Tells the stand-in what to play and starts the run; it must be accepted.
    ///
    /// # Errors
    /// A failure when it is refused or not answered in time.
    pub fn begin(&mut self, play: &Play) -> Result<(), Finding> {
        let sent = format!("run/start of scenario {}", play.scenario);
        match self.try_begin(play)? {
            Answer::Result(_) => Ok(()),
            refused @ Answer::Error(_) => {
                Err(Failure::new("the run is accepted", refused.summary())
                    .sent(sent)
                    .at(self.place())
                    .into())
            }
        }
    }

    /// Tells the stand-in what to play and asks for the run, which may be refused.
    ///
    /// # Errors
    /// A failure when it is not answered in time.
    pub fn try_begin(&mut self, play: &Play) -> Result<Answer, Finding> {
        self.stand_in.play(&play.script)?;
        self.start_run(&play.request)
    }

    /// Sends `run/start`, whatever the stand-in is set to.
    ///
    /// # Errors
    /// A failure when it is not answered in time.
    pub fn start_run(&mut self, request: &StartRunParams) -> Result<Answer, Finding> {
        self.inbox.open_run(&request.run_id);
        let params = serde_json::to_value(request).unwrap_or_default();
        let answer = self.request(START_RUN.name, params)?;
        let seen = self.inbox.runs.get(&request.run_id).is_some_and(|run| !run.events.is_empty());
        match answer {
            Answer::Result(_) => self.inbox.accept_run(&request.run_id),
            Answer::Error(_) if !seen => self.inbox.close_run(&request.run_id),
            Answer::Error(_) => {}
        }
        Ok(answer)
    }

    /// What a run has said so far.
    pub fn run(&self, run_id: &str) -> RunRecord {
        self.inbox.runs.get(run_id).cloned().unwrap_or_default()
    }

    /// Waits for the run's `done`; `false` when it does not come in time.
    pub fn wait_done(&mut self, run_id: &str, limit: Duration) -> bool {
        let limit = self.limit(limit);
        self.pump(limit, |inbox| inbox.runs.get(run_id).is_some_and(|run| run.finished))
    }

    /// Waits for an event of the run.
    ///
    /// # Errors
    /// A failure that says what was waited for, when it does not come in time.
    pub fn wait_event(
        &mut self,
        run_id: &str,
        limit: Duration,
        wanted: &str,
        mut is_it: impl FnMut(&Received) -> bool,
    ) -> Result<Received, Finding> {
        let limit = self.limit(limit);
        let mut looked_at = 0;
        let mut found = None;
        self.pump(limit, |inbox| {
            let Some(run) = inbox.runs.get(run_id) else { return false };
            found = run.events[looked_at..].iter().find(|received| is_it(received)).cloned();
            looked_at = run.events.len();
            found.is_some() || run.finished
        });
        found.ok_or_else(|| {
            let summary = shorten(&self.run(run_id).summary(), 600);
            let got = format!("the events were: {summary}{}", self.complaint());
            Failure::new(format!("{wanted} within {limit:.1?}"), got).at(self.place()).into()
        })
    }

    /// Waits for the run's end and gives everything it said.
    ///
    /// # Errors
    /// A failure when the run goes on for ever, or when its agent CLI is gone and no `done` comes
    /// (which ORD-01 reports too). Blocked when no run at all gets its `done`.
    pub fn finish(&mut self, run_id: &str, limit: Duration) -> Result<RunRecord, Finding> {
        let limit = if self.inbox.has_missed_done() { IMPATIENT.min(limit) } else { limit };
        if self.wait_done(run_id, limit) {
            let mut record = self.run(run_id);
            if record.done().is_none_or(|done| done.status != DoneStatus::Completed) {
                record.complaint = self.complaint();
            }
            return Ok(record);
        }
        let summary = shorten(&self.run(run_id).summary(), 600);
        if self.stand_in.processes().is_empty() {
            self.inbox.miss_done(&summary);
            if !self.inbox.has_seen_done() {
                return Err(Finding::Blocked("ORD-01: no run gets its `done`".to_owned()));
            }
        }
        let got = format!("no `done` comes; the events were: {summary}{}", self.complaint());
        Err(Failure::new(format!("the run ends within {limit:.1?}"), got).at(self.place()).into())
    }

    /// What the last start of the stand-in has to complain about.
    fn complaint(&self) -> String {
        let starts = self.stand_in.starts();
        let complaint = starts.last().and_then(Invocation::complaint);
        let text = complaint.map(|it| format!("; the stand-in agent CLI: {}", shorten(&it, 400)));
        text.unwrap_or_default()
    }

    /// Asks for a run to be stopped.
    ///
    /// # Errors
    /// A failure when that is not answered in time.
    pub fn cancel(&mut self, run_id: &str) -> Result<CancelRunResult, Finding> {
        self.call(&CancelRunParams { run_id: run_id.to_owned(), grace_ms: None, reason: None })
    }
}
