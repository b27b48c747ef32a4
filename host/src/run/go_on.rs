//! Between two attempts: what is done about a failure, how it is told, and the wait until then. The last
//! attempt ends the run here, too.

use std::time::Duration;

use od_protocol::api::Handover;
use od_protocol::{
    AgentSwitched, Done, ErrorEvent, Event, Heartbeat, MessageStopped, Notice, NoticeLevel, Retry,
    SessionChoice, SessionMode, Status, Usage,
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
use crate::discover::Adapter;
use crate::error::HostError;
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
            Remedy::Fallback => {
                let (adapter, notices) = self.next_agent().await;
                match adapter {
                    Some(adapter) => self.switch(&failure, adapter, notices).await,
                    None => Next::Break(self.finish(verdict, notices)),
                }
            }
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
        let (retry, most) = self.attempts.retries();
        let reason = self.reason(failure);
        let opening = self.same_agent_opening(failure);
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
        self.opening = Some(opening);
        let attempts = self.attempts.total() + 1;
        self.update_record(|record| record.attempts = attempts);
        Next::Continue(self.launch().await)
    }

    /// Another agent.
    async fn switch(&mut self, failure: &Failure, adapter: Adapter, notices: Vec<Event>) -> Next {
        let reason = self.reason(failure);
        let from_agent = std::mem::replace(&mut self.request.agent, adapter.id.clone());
        let handover = self.attempts.handover();
        self.close_attempt(failure);
        let briefing = match handover {
            Handover::Transcript => self.briefing(),
            _ => Briefing::task(&self.request.params.prompt.text),
        };
        let attempt = self.attempts.total() + 1;
        notices.into_iter().for_each(|notice| self.tell(notice));
        self.tell(Event::AgentSwitched(AgentSwitched {
            from_agent,
            to_agent: adapter.id.clone(),
            attempt,
            error_kind: failure.error.kind.clone(),
            reason,
            handover,
            handover_bytes: briefing.bytes,
        }));
        self.leave_behind(&adapter.id);
        self.update_record(|record| {
            record.first_agent.get_or_insert_with(|| self.first_agent.clone());
            record.agent.clone_from(&adapter.id);
            record.adapter_path.clone_from(&adapter.path);
            record.adapter_version.clone_from(&adapter.manifest.version);
            record.attempts = attempt;
            record.session_id = None;
        });
        self.adapter = adapter;
        self.opening = Some(Opening { session: SessionChoice::default(), briefing });
        Next::Continue(self.launch().await)
    }

    /// The next agent of the list that can run, and why those before it cannot.
    async fn next_agent(&mut self) -> (Option<Adapter>, Vec<Event>) {
        let mut skipped = Vec::new();
        while let Some(id) = self.attempts.next_agent(&self.request.agent) {
            match self.ready(&id).await {
                Ok(adapter) => return (Some(adapter), skipped),
                Err(error) => skipped.push(notice(
                    "fallback_skipped",
                    format!("{id} does not take over: {}", error.message),
                    error.hint,
                )),
            }
        }
        (None, skipped)
    }

    async fn ready(&self, id: &str) -> Result<Adapter, HostError> {
        let adapter = self.host.adapter(id).await?;
        match self.host.agent(id).await?.problem() {
            None => Ok(adapter),
            Some(problem) => Err(HostError {
                hint: problem.fix,
                ..HostError::protocol(problem.kind, problem.message)
            }),
        }
    }

    /// What belongs to the agent before and means nothing to the next one.
    fn leave_behind(&mut self, agent: &str) {
        let params = &mut self.request.params;
        let model = params.model.take();
        let session = std::mem::take(&mut params.session);
        if let Some(model) = model {
            let text =
                format!("the model {model} was meant for the first agent; {agent} takes its own");
            self.tell(notice("fallback_model_dropped", text, None));
        }
        if session.mode != SessionMode::New {
            let text = format!("{agent} does not know the session the run began with");
            self.tell(notice("fallback_session_dropped", text, None));
        }
    }

    /// Ends the failed attempt in the journal: its error is no longer fatal, what is open is closed.
    fn close_attempt(&mut self, failure: &Failure) {
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
    fn same_agent_opening(&self, failure: &Failure) -> Opening {
        let task = &self.request.params.prompt.text;
        let can_resume = self.adapter.manifest.capabilities.resume.is_some();
        let session_id = self.state.session_id.clone().filter(|_| can_resume);
        if let Some(id) = session_id {
            let briefing = match self.state.has_substance() {
                true => Briefing::go_on(task, failure.error.kind.as_str()),
                false => Briefing::task(task),
            };
            let session = SessionChoice { mode: SessionMode::Resume, id: Some(id) };
            return Opening { session, briefing };
        }
        let mut session = self.request.params.session.clone();
        if session.mode == SessionMode::New {
            session.id = None; // The one it was to have may be taken by now.
        }
        Opening { session, briefing: self.briefing() }
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
            tokio::select! {
                biased;
                Some(_) = self.stop.recv() => return Err(Verdict::Cancelled),
                () = at(self.deadline) => return Err(total_timeout()),
                () = sleep_until(due.min(Instant::now() + BEAT)) => {}
            }
            if Instant::now() >= due {
                return Ok(());
            }
            let silent_ms = u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
            self.tell(Event::Heartbeat(Heartbeat { silent_ms }));
        }
    }

    /// Why the run goes on, and what it has cost so far: nothing is paid twice without a word.
    fn reason(&self, failure: &Failure) -> String {
        let error = &failure.error;
        let mut message: String = error.message.chars().take(LONGEST_REASON).collect();
        if message.len() < error.message.len() {
            message.push('…');
        }
        let spent = match failure.refused {
            true => "it had used nothing".to_owned(),
            false => spent(self.state.used(&usage::past(self.host.home(), &self.run.record()))),
        };
        format!("{}: {message}; {spent}", error.kind)
    }
}

fn spent(usage: Option<Usage>) -> String {
    let Some(usage) = usage else { return "what it had used is not known".to_owned() };
    let cost = usage.cost_usd.map(|cost| format!(" for {cost:.4} US dollars"));
    format!("it had used {} tokens{}", usage.total_tokens, cost.unwrap_or_default())
}

fn notice(code: &str, text: String, hint: Option<String>) -> Event {
    Event::Notice(Notice { level: NoticeLevel::Warn, code: code.to_owned(), text, hint })
}

/// A time for people, the same wherever the host and the reader are.
fn moment(milliseconds: u64) -> String {
    let time =
        i64::try_from(milliseconds).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    time.map_or_else(|| "an unknown time".to_owned(), |time| time.strftime("%F %T UTC").to_string())
}
