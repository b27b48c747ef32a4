//! Between two attempts: what is done about a failure, how it is told, and the wait until then. The last
//! attempt ends the run here, too. How another agent takes over lives in `switch`.

use std::time::Duration;

use od_protocol::api::Handover;
use od_protocol::{
    Done, ErrorEvent, Event, Heartbeat, MessageStopped, Notice, NoticeLevel, Retry, SessionChoice,
    SessionMode, Status, Usage,
};
use tokio::time::{Instant, sleep_until};

use super::attempts::{Failure, Remedy, is_limit};
use super::conduct::{Conductor, Next};
use super::handover::{Briefing, Record};
use super::launch::Opening;
use super::recover::begun;
use super::repair::{Closing, Times, Verdict, closing_events, open_ends};
use super::supervise::{at, total_timeout};
use super::{lock, now_ms};
use crate::usage;

/// A sign of life at least this often.
const BEAT: Duration = Duration::from_secs(10);
/// Characters of an error's text in the reason for what follows it.
const LONGEST_REASON: usize = 300;

impl Conductor {
    /// Does what may be done about a failure.
    pub(super) async fn go_on(&mut self, failure: Failure, verdict: &Verdict) -> Next {
        match self.attempts.remedy(&failure, now_ms(), self.time_left()) {
            Remedy::Retry(pause) => self.retry(&failure, pause).await,
            Remedy::Afresh => self.begin_afresh(&failure).await,
            Remedy::Fallback => self.fall_back(&failure, verdict).await,
            Remedy::Nothing => {
                self.tell_reset(&failure);
                Next::Break(self.finish(verdict, Vec::new()))
            }
        }
    }

    /// Ends the run: with the end that its last attempt has found, or with the one it gets.
    pub(super) fn finish(&mut self, verdict: &Verdict, notices: Vec<Event>) -> Done {
        let mut sink = lock(&self.sink);
        if let Some(done) = sink.done().cloned() {
            sink.close(&[], done.clone());
            return done;
        }
        let found = sink.held().and_then(|held| held.done()).cloned();
        if self.attempts.total() <= 1 && notices.is_empty() && found.is_some() {
            sink.release();
            return sink.done().cloned().or(found).expect("an end was found");
        }
        sink.release_without_done();
        notices.into_iter().for_each(|notice| sink.tell(notice));
        sink.flush();
        let read = self.state.read_on(&self.run.folder().events());
        if let Err(error) = read.and_then(|()| self.state.read(sink.unwritten())) {
            tracing::warn!(%error, "what a run has left open is not known");
            self.state.next_seq = sink.next_seq();
        }
        let (record, now) = (self.run.record(), now_ms());
        let times = Times { started: begun(&record, now), now };
        let past = usage::past(self.host.home(), &record);
        match found {
            Some(mut done) => {
                done.totals = self.state.totals(&past);
                done.duration_ms = times.now.saturating_sub(times.started);
                done.session_id = done.session_id.or_else(|| self.state.session_id.clone());
                sink.end(done.clone());
                done
            }
            None => {
                let closing = Closing { run_id: &record.run_id, verdict, times, past: &past };
                let (lines, done) = closing_events(&self.state, &closing);
                sink.close(&lines, done.clone());
                done
            }
        }
    }

    /// The same agent again.
    async fn retry(&mut self, failure: &Failure, pause: Duration) -> Next {
        let opening = self.same_agent_opening(failure);
        self.try_again(failure, pause, opening).await
    }

    /// The same agent again in a new session, because it does not know the one it had any more.
    async fn begin_afresh(&mut self, failure: &Failure) -> Next {
        self.attempts.forgive();
        let lost = self.state.session_id.take().unwrap_or_default();
        let briefing = self.handed_over();
        let told = if briefing.bytes > 0 { " and is told what has happened" } else { "" };
        let text = format!(
            "{} does not know the session {lost} any more; it begins a new one{told}",
            self.adapter.id
        );
        let session = SessionChoice::default();
        let notices = vec![notice("retry_session_lost", text, None)];
        self.try_again(failure, Duration::ZERO, Opening { session, briefing, notices }).await
    }

    async fn try_again(&mut self, failure: &Failure, pause: Duration, opening: Opening) -> Next {
        let (retry, most) = self.attempts.retries();
        let reason = self.reason(failure);
        self.close_attempt(failure);
        self.tell(Event::Retry(Retry {
            attempt: retry,
            max_attempts: Some(most),
            delay_ms: u64::try_from(pause.as_millis()).ok(),
            reason,
        }));
        if let Err(verdict) = self.wait(pause, failure).await {
            return Next::Break(self.finish(&verdict, Vec::new()));
        }
        self.begin_next(opening).await
    }

    /// Begins the next attempt.
    pub(super) async fn begin_next(&mut self, mut opening: Opening) -> Next {
        std::mem::take(&mut opening.notices).into_iter().for_each(|notice| self.tell(notice));
        self.opening = Some(opening);
        let attempts = self.attempts.total() + 1;
        self.update_record(|record| record.attempts = attempts);
        Next::Continue(self.launch().await)
    }

    /// Ends the failed attempt in the journal: its error is no longer fatal, what is open is closed.
    pub(super) fn close_attempt(&mut self, failure: &Failure) {
        self.host.telemetry().metrics().adapter(&self.adapter.id).failed(&failure.error.kind);
        let mut sink = lock(&self.sink);
        let seen = self.seen(sink.held());
        let told = sink.held().is_some_and(|held| held.fatal().is_some());
        sink.release_rewritten(|error| error.fatal = false);
        // The next attempt may use the same names for its messages.
        for message_id in seen.open.messages.iter().cloned() {
            sink.tell(Event::MessageStopped(MessageStopped { message_id }));
        }
        open_ends(&seen.open, false).into_iter().for_each(|event| sink.tell(event));
        if !told {
            sink.tell(Event::Error(ErrorEvent { fatal: false, ..failure.error.clone() }));
        }
    }

    /// How the same agent begins again: in its session where it can, otherwise with what has happened.
    fn same_agent_opening(&mut self, failure: &Failure) -> Opening {
        let task = &self.request.params.prompt.text;
        let can_resume = self.adapter.manifest.capabilities.resume.is_some();
        let session_id = self.state.session_id.clone().filter(|_| can_resume);
        self.attempts.set_resumes(session_id.is_some());
        if let Some(id) = session_id {
            let briefing = match self.state.has_substance() {
                true => Briefing::go_on(task, failure.error.kind.as_str()),
                false => Briefing::task(task),
            };
            let session = SessionChoice { mode: SessionMode::Resume, id: Some(id) };
            return Opening { session, briefing, notices: Vec::new() };
        }
        let mut session = self.request.params.session.clone();
        if session.mode == SessionMode::New {
            session.id = None; // The one it was to have may be taken by now.
        }
        Opening { session, briefing: self.briefing(), notices: Vec::new() }
    }

    /// What somebody is told who knows nothing of the run so far.
    pub(super) fn handed_over(&self) -> Briefing {
        match self.attempts.handover() {
            Handover::Transcript => self.briefing(),
            _ => Briefing::task(&self.request.params.prompt.text),
        }
    }

    /// The task with the record of what has happened; the task alone where that cannot be read.
    fn briefing(&self) -> Briefing {
        let task = &self.request.params.prompt.text;
        match Record::read(self.run.folder(), &self.first_agent) {
            Ok(record) => Briefing::with_record(task, &record),
            Err(error) => {
                tracing::warn!(%error, "what has happened cannot be handed over");
                Briefing::task(task)
            }
        }
    }

    /// A failure that is not waited for says when it would be over.
    fn tell_reset(&self, failure: &Failure) {
        if let Some(at) = failure.resets_at.filter(|_| is_limit(&failure.error.kind)) {
            let until = moment(at);
            lock(&self.sink).rewrite_held(|error| {
                error.message.push_str(&format!("; the limit is over at {until}"));
            });
        }
    }

    /// Waits, and says so.
    async fn wait(&mut self, pause: Duration, failure: &Failure) -> Result<(), Verdict> {
        let begin = Instant::now();
        let due = begin + pause;
        if !pause.is_zero() {
            let until =
                now_ms().saturating_add(u64::try_from(pause.as_millis()).unwrap_or(u64::MAX));
            let detail = format!("until {} ({})", moment(until), failure.error.kind);
            let phase = "waiting".to_owned();
            self.tell(Event::Status(Status { phase, detail: Some(detail), ttft_ms: None }));
        }
        loop {
            self.unless_stopped(sleep_until(due.min(Instant::now() + BEAT))).await?;
            if Instant::now() >= due {
                return Ok(());
            }
            let silent_ms = u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
            self.tell(Event::Heartbeat(Heartbeat { silent_ms }));
        }
    }

    /// Waits for something, unless the run is stopped or its time is over first.
    pub(super) async fn unless_stopped<T>(
        &mut self,
        awaited: impl Future<Output = T>,
    ) -> Result<T, Verdict> {
        tokio::select! {
            biased;
            Some(_) = self.stop.recv() => Err(Verdict::Cancelled),
            () = at(self.deadline) => Err(total_timeout()),
            value = awaited => Ok(value),
        }
    }

    /// Why the run goes on, and what it has cost so far: nothing is paid twice without a word.
    pub(super) fn reason(&self, failure: &Failure) -> String {
        let error = &failure.error;
        let mut message: String = error.message.chars().take(LONGEST_REASON).collect();
        if message.len() < error.message.len() {
            message.push('…');
        }
        let spent = match failure.refused {
            true => "it had used nothing".to_owned(),
            false => {
                // Most agents tell what they used at the very end, which is held back.
                let seen = self.seen(lock(&self.sink).held());
                spent(seen.used(&usage::past(self.host.home(), &self.run.record())))
            }
        };
        format!("{}: {message}; {spent}", error.kind)
    }
}

fn spent(usage: Option<Usage>) -> String {
    let Some(usage) = usage else { return "what it had used is not known".to_owned() };
    let cost = usage.cost_usd.map(|cost| format!(" for {cost:.4} US dollars"));
    format!("it had used {} tokens{}", usage.total_tokens, cost.unwrap_or_default())
}

pub(super) fn notice(code: &str, text: String, hint: Option<String>) -> Event {
    Event::Notice(Notice { level: NoticeLevel::Warn, code: code.to_owned(), text, hint })
}

/// A time for people, the same wherever the host and the reader are.
fn moment(milliseconds: u64) -> String {
    let time =
        i64::try_from(milliseconds).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    time.map_or_else(|| "an unknown time".to_owned(), |time| time.strftime("%F %T UTC").to_string())
}
