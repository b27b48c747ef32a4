//! Maps the lines of `opencode run` to protocol events: one state machine per run. Pure: no clock, no
//! file, no process.

use crate::native::NamedError;
use crate::{Finish, LogLine, PartMapper};
use od_protocol::adapter::StartRunParams;
use od_protocol::{
    Credential, DoneEvidence, Effort, ErrorEvent, Event, Notice, NoticeLevel, SessionChoice,
    SessionMode, SessionStarted, TurnEnded, TurnStarted,
};
use od_sdk::{Exit, Install, Mapper, PoliteStop, RunOutcome, RunOutput, event};

use crate::opencode::native::Line;
use crate::opencode::retries::Retries;

/// A headless run is one turn.
const TURN: &str = "turn-1";

/// The state of one run.
#[derive(Debug)]
pub struct Events {
    session: SessionChoice,
    /// The requested effort: `opencode run` ignores one that the model lacks.
    effort: Option<Effort>,
    credential: Option<Credential>,
    is_started: bool,
    parts: PartMapper,
    retries: Retries,
    /// The first error; OpenCode reports some errors twice (recording `ctx`).
    error: Option<NamedError>,
}

impl Events {
    /// The state before the first line.
    pub fn new(start_run_params: &StartRunParams, install: &Install) -> Self {
        Self {
            session: start_run_params.session.clone(),
            effort: start_run_params.effort,
            credential: install.credential.clone(),
            is_started: false,
            parts: PartMapper::default(),
            retries: Retries::new(start_run_params, install),
            error: None,
        }
    }

    /// No line announces the session; the first line of any kind has its id.
    fn ensure_started(&mut self, line: &Line, output: &mut RunOutput) {
        if self.is_started || line.session_id.is_empty() {
            return;
        }
        self.is_started = true;
        let is_fork = self.session.mode == SessionMode::Fork;
        output.event(Event::SessionStarted(SessionStarted {
            session_id: line.session_id.clone(),
            mode: self.session.mode,
            parent_session_id: self.session.id.clone().filter(|_| is_fork),
            model: None,
            cwd: None,
            tools: None,
            mcp_servers: None,
        }));
        output.event(Event::TurnStarted(TurnStarted { turn_id: TURN.to_owned() }));
        if let Some(effort) = self.effort {
            output.event(Event::Notice(unverified_effort(effort)));
        }
    }

    fn on_native(&mut self, line: Line, bytes: &[u8], output: &mut RunOutput) {
        let Line { kind, part, error, .. } = line;
        match (kind.as_str(), part, error) {
            ("step_start" | "text" | "reasoning" | "tool_use" | "step_finish", Some(part), _) => {
                if kind != "step_start" {
                    self.retries.on_answer(output);
                }
                self.parts.on_part(&part, output);
            }
            ("error", _, Some(error)) => self.error = self.error.take().or(Some(error)),
            _ => output.unmapped(&kind, bytes),
        }
    }

    /// Classifies an error; some only refer to a line of the log (recording `badmodel`).
    fn classify(&self, error: &NamedError, exit: &Exit) -> ErrorEvent {
        let text_in_log = error.data.reference.as_deref().and_then(|reference| {
            let mut lines = exit.stderr_tail.lines().filter_map(LogLine::parse);
            lines.find_map(|line| line.failure(reference).map(str::to_owned))
        });
        match text_in_log {
            Some(text) => crate::failure::classify_text(&text, self.credential.as_ref()),
            None => crate::failure::classify(error, self.credential.as_ref()),
        }
    }

    fn end(&mut self, outcome: RunOutcome, output: &mut RunOutput) -> Option<RunOutcome> {
        self.parts.report_usage(output);
        if self.is_started {
            let stop_reason = outcome.stop_reason;
            output.event(Event::TurnEnded(TurnEnded { turn_id: TURN.to_owned(), stop_reason }));
        }
        Some(outcome)
    }

    fn fail(&mut self, failure: ErrorEvent, output: &mut RunOutput) -> Option<RunOutcome> {
        let stop_reason = od_sdk::failure::stop_reason(&failure.kind);
        if let Some(rate_limited) = crate::failure::rate_limited(&failure) {
            output.event(Event::RateLimited(rate_limited));
        }
        output.event(Event::Error(failure));
        self.end(RunOutcome { stop_reason, ..RunOutcome::FAILED }, output)
    }
}

impl Mapper for Events {
    fn on_line(&mut self, line: &[u8], output: &mut RunOutput) {
        // Anything but a JSON object with a type is ignored.
        let Ok(native) = serde_json::from_slice::<Line>(line) else { return };
        if !native.kind.is_empty() {
            self.ensure_started(&native, output);
            self.on_native(native, line, output);
        }
    }

    fn on_stderr_line(&mut self, line: &[u8], output: &mut RunOutput) {
        self.retries.on_stderr_line(line, output);
    }

    fn on_silence(&mut self, output: &mut RunOutput) {
        self.retries.on_silence(output);
    }

    /// OpenCode ignores SIGINT (recording `sigint-slow`).
    fn on_cancel(&mut self, _output: &mut RunOutput) -> PoliteStop {
        PoliteStop::Terminate
    }

    /// No line reports the end of the run. It succeeded if the process exits with 0, the last step
    /// ended with the end of the answer, and no error was reported.
    fn on_exit(&mut self, exit: &Exit, output: &mut RunOutput) -> Option<RunOutcome> {
        if let Some(error) = self.error.take() {
            return match crate::failure::is_abort(&error) {
                true => self.end(RunOutcome::CANCELLED, output),
                false => {
                    let failure = self.classify(&error, exit);
                    self.fail(failure, output)
                }
            };
        }
        match (exit.code, self.parts.finish()) {
            (Some(0), Some(Finish::Stopped(stop_reason))) => {
                let evidence = DoneEvidence::StopReason;
                self.end(RunOutcome { stop_reason, evidence, ..RunOutcome::COMPLETED }, output)
            }
            (Some(1), None) if !self.is_started => {
                let failure = refusal(&exit.stderr_tail)?;
                self.fail(failure, output)
            }
            _ => None,
        }
    }
}

fn unverified_effort(effort: Effort) -> Notice {
    let effort = effort.as_str();
    let text =
        format!("`opencode run` ignores the effort {effort:?} if the model does not support it");
    let hint = "set adapterOptions.mode to acp, which rejects an unsupported effort".to_owned();
    Notice { hint: Some(hint), ..event::notice(NoticeLevel::Warn, "degraded", text) }
}

/// Why OpenCode did not start: the last line of stderr that is not part of its log.
fn refusal(stderr: &str) -> Option<ErrorEvent> {
    let line = stderr.lines().rev().find(|line| LogLine::parse(line).is_none())?;
    let failure = crate::failure::classify_text(line.trim(), None);
    // An unknown text is a crash, which the sdk reports.
    (failure.hint.is_some()).then_some(failure)
}
