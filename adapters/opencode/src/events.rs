//! The lines of `opencode run` → protocol events: one state machine per run. Pure: no clock, no
//! file, no process.

use od_protocol::{
    Credential, DoneEvidence, DoneStatus, ErrorEvent, Event, SessionChoice, SessionMode,
    SessionStarted, StartRunParams, StopReason, TurnEnded, TurnStarted,
};
use od_sdk::parts::native::NamedError;
use od_sdk::parts::{self, Finish, LogLine, PartMapper};
use od_sdk::{Ending, Exit, Install, Mapper, PoliteStop, RunOutput};

use crate::native::Line;
use crate::retries::Retries;

/// A headless run is one turn.
const TURN: &str = "turn-1";

/// The state of one run.
#[derive(Debug)]
pub struct Events {
    session: SessionChoice,
    credential: Option<Credential>,
    is_started: bool,
    parts: PartMapper,
    retries: Retries,
    /// What it calls an error; the first says it best, and some are said twice (recording `ctx`).
    error: Option<NamedError>,
}

impl Events {
    /// Before the first line.
    pub fn new(start_run_params: &StartRunParams, install: &Install) -> Self {
        Self {
            session: start_run_params.session.clone(),
            credential: install.credential.clone(),
            is_started: false,
            parts: PartMapper::default(),
            retries: Retries::new(start_run_params, install),
            error: None,
        }
    }

    /// There is no line about the session itself: the first of any kind names it.
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

    /// What the log says about an error that only refers to it (recording `badmodel`).
    fn judge(&self, error: &NamedError, exit: &Exit) -> ErrorEvent {
        let told = error.data.reference.as_deref().and_then(|reference| {
            let mut lines = exit.stderr_tail.lines().filter_map(LogLine::parse);
            lines.find_map(|line| line.failure(reference).map(str::to_owned))
        });
        match told {
            Some(text) => parts::judge_text(&text, self.credential.as_ref()),
            None => parts::judge(error, self.credential.as_ref()),
        }
    }

    fn end(&mut self, ending: Ending, output: &mut RunOutput) -> Option<Ending> {
        self.parts.report_usage(output);
        if self.is_started {
            let stop_reason = ending.stop_reason;
            output.event(Event::TurnEnded(TurnEnded { turn_id: TURN.to_owned(), stop_reason }));
        }
        Some(ending)
    }

    fn fail(&mut self, failure: ErrorEvent, output: &mut RunOutput) -> Option<Ending> {
        let stop_reason = parts::stop_reason(&failure.kind);
        if let Some(rate_limited) = parts::rate_limited(&failure) {
            output.event(Event::RateLimited(rate_limited));
        }
        output.event(Event::Error(failure));
        let (status, evidence) = (DoneStatus::Failed, DoneEvidence::NativeResult);
        self.end(Ending { status, stop_reason, evidence }, output)
    }
}

impl Mapper for Events {
    fn on_line(&mut self, line: &[u8], output: &mut RunOutput) {
        // What is no JSON object with a type is noise.
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

    /// SIGINT is ignored (recording `sigint-slow`).
    fn on_cancel(&mut self, _output: &mut RunOutput) -> PoliteStop {
        PoliteStop::Terminate
    }

    /// No line says that the run is over. It is when the process ends well, the last step ended with
    /// the model's last word, and no error was told.
    fn on_exit(&mut self, exit: &Exit, output: &mut RunOutput) -> Option<Ending> {
        if let Some(error) = self.error.take() {
            return match parts::is_abort(&error) {
                true => self.end(cancelled(), output),
                false => {
                    let failure = self.judge(&error, exit);
                    self.fail(failure, output)
                }
            };
        }
        match (exit.code, self.parts.finish()) {
            (Some(0), Some(Finish::Stopped(stop_reason))) => {
                let (status, evidence) = (DoneStatus::Completed, DoneEvidence::StopReason);
                self.end(Ending { status, stop_reason, evidence }, output)
            }
            (Some(1), None) if !self.is_started => {
                let failure = refusal(&exit.stderr_tail)?;
                self.fail(failure, output)
            }
            _ => None,
        }
    }
}

/// Why it did not even begin: the last line of stderr that is none of its log.
fn refusal(stderr: &str) -> Option<ErrorEvent> {
    let line = stderr.lines().rev().find(|line| LogLine::parse(line).is_none())?;
    let failure = parts::judge_text(line.trim(), None);
    // What nothing is known about is a crash, and told as one.
    (failure.hint.is_some()).then_some(failure)
}

fn cancelled() -> Ending {
    Ending {
        status: DoneStatus::Cancelled,
        stop_reason: StopReason::Cancelled,
        evidence: DoneEvidence::NativeResult,
    }
}
