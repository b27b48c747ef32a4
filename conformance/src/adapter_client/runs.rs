//! Starts runs and waits for their events.

use std::time::Duration;

use od_protocol::DoneStatus;
use od_protocol::adapter::{CancelRunParams, CancelRunResult, START_RUN, StartRunParams};
use serde_json::Value;

use super::calls::Answer;
use super::launch::AdapterClient;
use super::record::{Received, RunRecord};
use crate::fake_cli::Invocation;
use crate::outcome::{Failure, Finding, shorten};
use crate::prepared_run::PreparedRun;

/// The timeout for `done` after one was missing: the outcome is already known.
const SHORT_DONE_TIMEOUT: Duration = Duration::from_secs(2);

impl AdapterClient {
    /// Loads the script into the fake CLI and starts the run, which must be accepted.
    ///
    /// # Errors
    /// A failure if it is refused or not answered in time.
    pub fn begin(&mut self, prepared: &PreparedRun) -> Result<(), Finding> {
        let sent = format!("run/start of scenario {}", prepared.scenario);
        match self.try_begin(prepared)? {
            Answer::Result(_) => Ok(()),
            refused @ Answer::Error(_) => {
                Err(self.failure("the run is accepted", refused.summary(), sent))
            }
        }
    }

    /// Loads the script into the fake CLI and requests the run, which may be refused.
    pub fn try_begin(&mut self, prepared: &PreparedRun) -> Result<Answer, Finding> {
        self.fake_cli.load_script(&prepared.script)?;
        self.start_run(&prepared.request)
    }

    /// Sends `run/start` without changing the fake CLI.
    pub fn start_run(&mut self, request: &StartRunParams) -> Result<Answer, Finding> {
        let params = serde_json::to_value(request).unwrap_or_default();
        self.start_run_with(&request.run_id, params)
    }

    /// Sends `run/start` with these parameters without changing the fake CLI.
    pub fn start_run_with(&mut self, run_id: &str, params: Value) -> Result<Answer, Finding> {
        let id = self.ask_run(run_id, params);
        self.started(run_id, &id)
    }

    /// Sends `run/start` with these parameters and returns the id of the request.
    pub fn ask_run(&mut self, run_id: &str, params: Value) -> String {
        self.inbox.open_run(run_id);
        self.ask(START_RUN.name, params)
    }

    /// Waits for the response to `run/start`.
    pub fn started(&mut self, run_id: &str, id: &str) -> Result<Answer, Finding> {
        let answer = self.answer(id, START_RUN.limit())?;
        let seen = self.inbox.runs.get(run_id).is_some_and(|run| !run.events.is_empty());
        match answer {
            Answer::Result(_) => self.inbox.accept_run(run_id),
            Answer::Error(_) if !seen => self.inbox.checker.refuse_run(run_id),
            Answer::Error(_) => {}
        }
        Ok(answer)
    }

    /// Returns the events of a run so far.
    pub fn run(&self, run_id: &str) -> RunRecord {
        self.inbox.runs.get(run_id).cloned().unwrap_or_default()
    }

    /// Waits for the run's `done`; `false` after the timeout.
    pub fn wait_done(&mut self, run_id: &str, limit: Duration) -> bool {
        let limit = self.limit(limit);
        self.pump(limit, |inbox| inbox.runs.get(run_id).is_some_and(|run| run.finished))
    }

    /// Waits for an event of the run.
    ///
    /// # Errors
    /// A failure with the expected event if it does not arrive in time.
    pub fn wait_event(
        &mut self,
        run_id: &str,
        limit: Duration,
        wanted: &str,
        mut matches: impl FnMut(&Received) -> bool,
    ) -> Result<Received, Finding> {
        let limit = self.limit(limit);
        let mut inspected = 0;
        let mut found = None;
        self.pump(limit, |inbox| {
            let Some(run) = inbox.runs.get(run_id) else { return false };
            found = run.events[inspected..].iter().find(|received| matches(received)).cloned();
            inspected = run.events.len();
            found.is_some() || run.finished
        });
        found.ok_or_else(|| {
            let summary = shorten(&self.run(run_id).summary(), 600);
            let got = format!("the events were: {summary}{}", self.fake_cli_error());
            Failure::new(format!("{wanted} within {limit:.1?}"), got).at(self.location()).into()
        })
    }

    /// Waits for the end of the run and returns its events.
    ///
    /// # Errors
    /// A failure if the run does not end, or if its agent CLI has ended without `done` (which
    /// ORD-01 reports too). Blocked if no run ever gets its `done`.
    pub fn finish(&mut self, run_id: &str, limit: Duration) -> Result<RunRecord, Finding> {
        let limit = if self.inbox.checker.violations.has_missing_done() {
            SHORT_DONE_TIMEOUT.min(limit)
        } else {
            limit
        };
        if self.wait_done(run_id, limit) {
            let mut record = self.run(run_id);
            if record.dropped_events > 0 {
                let dropped = record.dropped_events;
                let reason = format!("the suite could not keep {dropped} events of the run");
                return Err(Finding::Suite(reason));
            }
            if record.done().is_none_or(|done| done.status != DoneStatus::Completed) {
                record.cli_error = self.fake_cli_error();
            }
            return Ok(record);
        }
        let summary = shorten(&self.run(run_id).summary(), 600);
        if self.fake_cli.processes().is_empty() {
            self.inbox.checker.missing_done(&summary, &self.location());
            if !self.inbox.checker.violations.has_seen_done() {
                return Err(Finding::Blocked("ORD-01: no run has a `done`".to_owned()));
            }
        }
        let got = format!("no `done` arrived; the events were: {summary}{}", self.fake_cli_error());
        Err(Failure::new(format!("the run ends within {limit:.1?}"), got)
            .at(self.location())
            .into())
    }

    /// Starts a run and waits for its end.
    ///
    /// # Errors
    /// As [`AdapterClient::begin`] and [`AdapterClient::finish`].
    pub fn complete_run(
        &mut self,
        prepared: &PreparedRun,
        limit: Duration,
    ) -> Result<RunRecord, Finding> {
        self.begin(prepared)?;
        self.finish(prepared.run_id(), limit)
    }

    /// Returns the error that the last invocation of the fake CLI reported.
    fn fake_cli_error(&self) -> String {
        let starts = self.fake_cli.starts();
        let fake_cli_error = starts.last().and_then(Invocation::problem);
        let text =
            fake_cli_error.map(|it| format!("; the fake CLI reported: {}", shorten(&it, 400)));
        text.unwrap_or_default()
    }

    /// Cancels a run.
    pub fn cancel(&mut self, run_id: &str) -> Result<CancelRunResult, Finding> {
        self.call(&CancelRunParams { run_id: run_id.to_owned(), grace_ms: None, reason: None })
    }
}
