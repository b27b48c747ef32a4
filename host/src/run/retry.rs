//! Between two attempts of the same agent: closes the failed attempt in the journal, waits, and starts the next one.

use std::time::Duration;

use od_protocol::Handover;
use od_protocol::{
    ErrorEvent, Event, Heartbeat, MessageStopped, Notice, NoticeLevel, Retry, SessionChoice,
    SessionMode, Status, Usage,
};
use tokio::time::{Instant, sleep_until};

use super::attempt::AttemptStart;
use super::attempts::{Failure, NextStep, is_limit};
use super::handover::{HandoverPrompt, Transcript};
use super::outcome::RunOutcome;
use super::repair::close_open_items;
use super::task::{Next, RunTask};
use crate::clock::now_ms;
use crate::sync::lock;
use crate::usage;

/// A waiting run emits a heartbeat at least this often.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(10);
/// The part of an error message that is repeated as the reason for the next attempt.
const MAX_REASON_CHARS: usize = 300;

impl RunTask {
    /// Retries, falls back to another agent, or ends the run.
    pub(super) async fn handle_failure(&mut self, failure: Failure, outcome: &RunOutcome) -> Next {
        match self.attempts.next_step(&failure, now_ms(), self.time_left()) {
            NextStep::Retry(pause) => self.retry(&failure, pause).await,
            NextStep::NewSession => self.retry_in_new_session(&failure).await,
            NextStep::Fallback => self.fall_back(&failure, outcome).await,
            NextStep::Fail => {
                self.add_reset_time(&failure);
                Next::Break(self.finish(outcome, Vec::new()))
            }
        }
    }

    async fn retry(&mut self, failure: &Failure, pause: Duration) -> Next {
        let start = self.same_agent_start(failure);
        self.retry_with(failure, pause, start).await
    }

    /// Retries at once in a new session, because the agent no longer knows the session of the previous attempt.
    async fn retry_in_new_session(&mut self, failure: &Failure) -> Next {
        self.attempts.uncount_attempt();
        let lost = self.state.session_id.take().unwrap_or_default();
        let prompt = self.handover_prompt();
        let transcript = if prompt.bytes > 0 { " with a transcript of the run" } else { "" };
        let text = format!(
            "{} no longer knows the session {lost}; it starts a new one{transcript}",
            self.adapter.id
        );
        let session = SessionChoice::default();
        let notices = vec![notice("retry_session_lost", text, None)];
        self.retry_with(failure, Duration::ZERO, AttemptStart { session, prompt, notices }).await
    }

    async fn retry_with(
        &mut self,
        failure: &Failure,
        pause: Duration,
        start: AttemptStart,
    ) -> Next {
        let (attempt, max_attempts) = self.attempts.retries();
        let reason = self.reason(failure);
        self.close_attempt(failure);
        self.emit(Event::Retry(Retry {
            attempt,
            max_attempts: Some(max_attempts),
            delay_ms: u64::try_from(pause.as_millis()).ok(),
            reason,
        }));
        if let Err(outcome) = self.wait(pause, failure).await {
            return Next::Break(self.finish(&outcome, Vec::new()));
        }
        self.start_next(start).await
    }

    pub(super) async fn start_next(&mut self, mut start: AttemptStart) -> Next {
        std::mem::take(&mut start.notices).into_iter().for_each(|notice| self.emit(notice));
        self.next_start = Some(start);
        let attempts = self.attempts.total() + 1;
        self.update_record(|record| record.attempts = attempts);
        Next::Continue(self.launch().await)
    }

    /// Ends the failed attempt in the journal: its error is no longer fatal, and its open items are closed.
    pub(super) fn close_attempt(&mut self, failure: &Failure) {
        let metrics = self.context().telemetry().metrics();
        metrics.adapter(&self.adapter.id).failed(&failure.error.kind);
        let mut journal = lock(&self.journal);
        let state = self.state_with(journal.buffered());
        let has_error = journal.buffered().is_some_and(|buffered| buffered.fatal().is_some());
        journal.release_rewritten(|error| error.fatal = false);
        // The next attempt may use the same message ids.
        for message_id in state.open.messages.iter().cloned() {
            journal.emit(Event::MessageStopped(MessageStopped { message_id }));
        }
        close_open_items(&state.open, false).into_iter().for_each(|event| journal.emit(event));
        if !has_error {
            journal.emit(Event::Error(ErrorEvent { fatal: false, ..failure.error.clone() }));
        }
    }

    /// How the same agent starts again: in its session if it can resume, otherwise with a transcript.
    fn same_agent_start(&mut self, failure: &Failure) -> AttemptStart {
        let task = &self.request.params.prompt.text;
        let can_resume = self.adapter.manifest.capabilities.resume.is_some();
        let session_id = self.state.session_id.clone().filter(|_| can_resume);
        self.attempts.set_resumes(session_id.is_some());
        if let Some(id) = session_id {
            let prompt = match self.state.has_output() {
                true => HandoverPrompt::resume(task, failure.error.kind.as_str()),
                false => HandoverPrompt::task(task),
            };
            let session = SessionChoice { mode: SessionMode::Resume, id: Some(id) };
            return AttemptStart { session, prompt, notices: Vec::new() };
        }
        let mut session = self.request.params.session.clone();
        if session.mode == SessionMode::New {
            session.id = None; // The failed attempt may have used this id.
        }
        AttemptStart { session, prompt: self.transcript_prompt(), notices: Vec::new() }
    }

    /// The prompt for an agent that knows nothing about the run.
    pub(super) fn handover_prompt(&self) -> HandoverPrompt {
        match self.attempts.handover() {
            Handover::Transcript => self.transcript_prompt(),
            _ => HandoverPrompt::task(&self.request.params.prompt.text),
        }
    }

    /// The task with a transcript of the run; only the task when the journal cannot be read.
    fn transcript_prompt(&self) -> HandoverPrompt {
        let task = &self.request.params.prompt.text;
        match Transcript::read(self.run.folder(), &self.first_agent) {
            Ok(transcript) => HandoverPrompt::with_transcript(task, &transcript),
            Err(error) => {
                tracing::warn!(%error, "cannot read the transcript for the next agent");
                HandoverPrompt::task(task)
            }
        }
    }

    /// Adds the reset time of a limit to the final error.
    fn add_reset_time(&self, failure: &Failure) {
        if let Some(at) = failure.resets_at.filter(|_| is_limit(&failure.error.kind)) {
            let until = format_time(at);
            lock(&self.journal).rewrite_buffered(|error| {
                error.message.push_str(&format!("; the limit resets at {until}"));
            });
        }
    }

    /// Waits before a retry; emits `status` and heartbeats.
    async fn wait(&mut self, pause: Duration, failure: &Failure) -> Result<(), RunOutcome> {
        let begin = Instant::now();
        let due = begin + pause;
        if !pause.is_zero() {
            let until =
                now_ms().saturating_add(u64::try_from(pause.as_millis()).unwrap_or(u64::MAX));
            let detail = format!("until {} ({})", format_time(until), failure.error.kind);
            let phase = "waiting".to_owned();
            self.emit(Event::Status(Status { phase, detail: Some(detail), ttft_ms: None }));
        }
        loop {
            let next = due.min(Instant::now() + HEARTBEAT_INTERVAL);
            self.unless_stopped(sleep_until(next)).await?;
            if Instant::now() >= due {
                return Ok(());
            }
            let silent_ms = u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
            self.emit(Event::Heartbeat(Heartbeat { silent_ms }));
        }
    }

    /// Why another attempt follows, and what the failed one used: no cost is hidden from the user.
    pub(super) fn reason(&self, failure: &Failure) -> String {
        let error = &failure.error;
        let mut message: String = error.message.chars().take(MAX_REASON_CHARS).collect();
        if message.len() < error.message.len() {
            message.push('…');
        }
        let used = match failure.refused {
            true => "used nothing".to_owned(),
            false => {
                // Most agents report their usage at the end, among the buffered events.
                let state = self.state_with(lock(&self.journal).buffered());
                let record = self.run.record();
                let prior = usage::prior_usage(self.context().home(), &record);
                describe_usage(state.attempt_usage(&prior))
            }
        };
        format!("{}: {message}; {used}", error.kind)
    }
}

fn describe_usage(usage: Option<Usage>) -> String {
    let Some(usage) = usage else { return "usage unknown".to_owned() };
    let cost = usage.cost_usd.map(|cost| format!(" for {cost:.4} US dollars"));
    format!("used {} tokens{}", usage.total_tokens, cost.unwrap_or_default())
}

pub(super) fn notice(code: &str, text: String, hint: Option<String>) -> Event {
    Event::Notice(Notice { level: NoticeLevel::Warn, code: code.to_owned(), text, hint })
}

/// Formats a time in UTC: the host and the reader may be in different time zones.
fn format_time(milliseconds: u64) -> String {
    let time =
        i64::try_from(milliseconds).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    time.map_or_else(|| "an unknown time".to_owned(), |time| time.strftime("%F %T UTC").to_string())
}
