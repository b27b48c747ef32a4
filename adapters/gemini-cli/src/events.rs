//! Maps `stream-json` lines to protocol events: one state machine per run. Pure: no clock, no file, no
//! process; the pause that indicates a retry is in the lines' timestamps.

mod tools;
mod usage;

use od_protocol::adapter::StartRunParams;
use od_protocol::{
    Credential, DoneEvidence, DoneStatus, ErrorEvent, Event, MessageDiscarded, MessageStopped,
    NoticeLevel, SessionChoice, SessionStarted, StopReason, TurnEnded, TurnStarted,
};
use od_sdk::auth::rfc3339_millis;
use od_sdk::repeat::RepeatDetector;
use od_sdk::start_run::AdapterOptions;
use od_sdk::{Exit, Install, Mapper, PoliteStop, RunOutcome, RunOutput};
use serde::Deserialize;

use crate::failure;
use crate::native::{ErrorLine, Head, Init, Message, ResultLine};
use crate::options::Options;
use crate::retries::Retries;
use tools::Tools;

/// The model id by which the CLI selects a model itself.
const AUTO_MODEL: &str = "auto";
/// A run has one turn in this mode.
const TURN_ID: &str = "turn-1";
/// The CLI's shortest delay before it repeats the request of an interrupted stream.
pub(crate) const RETRY_PAUSE_MS: u64 = 1_000;

/// The state of one run.
#[derive(Debug)]
pub struct Events {
    session: SessionChoice,
    credential: Option<Credential>,
    retries: Retries,
    tools: Tools,
    message: Option<String>,
    message_count: u32,
    repeats: RepeatDetector,
    last_delta_at: Option<u64>,
    /// The last `error` line before the result.
    error_text: Option<String>,
}

impl Events {
    /// Creates the state before the first line.
    pub fn new(start_run_params: &StartRunParams, install: &Install) -> Self {
        Self {
            session: start_run_params.session.clone(),
            credential: install.credential.clone(),
            retries: Retries::new(&Options::lenient(start_run_params)),
            tools: Tools::new(&start_run_params.cwd),
            message: None,
            message_count: 0,
            repeats: RepeatDetector::default(),
            last_delta_at: None,
            error_text: None,
        }
    }

    /// Returns `None` for an unknown or invalid line.
    fn on_typed_line(&mut self, kind: &str, line: &[u8], output: &mut RunOutput) -> Option<()> {
        match kind {
            "message" => self.on_message(&read(line)?, output),
            "tool_use" => {
                self.end_answer(output);
                self.tools.on_use(read(line)?, output);
            }
            "tool_result" => self.tools.on_result(read(line)?, output),
            "init" => self.on_init(read(line)?, output),
            "error" => self.on_error(read(line)?, output),
            "result" => self.on_result(&read(line)?, output),
            _ => return None,
        }
        Some(())
    }

    fn on_init(&mut self, init: Init, output: &mut RunOutput) {
        output.event(Event::SessionStarted(SessionStarted {
            session_id: init.session_id,
            mode: self.session.mode,
            parent_session_id: None,
            model: init.model.filter(|model| model != AUTO_MODEL),
            cwd: None,
            tools: None,
            mcp_servers: None,
        }));
        output.event(Event::TurnStarted(TurnStarted { turn_id: TURN_ID.to_owned() }));
    }

    /// Maps a part of the answer; the echo of the prompt is ignored.
    fn on_message(&mut self, message: &Message<'_>, output: &mut RunOutput) {
        if message.role != "assistant" || message.content.is_empty() {
            return;
        }
        let now = rfc3339_millis(&message.timestamp);
        if let (Some(before), Some(now)) = (self.last_delta_at, now)
            && now.saturating_sub(before) >= RETRY_PAUSE_MS
        {
            self.repeats.pause();
        }
        self.last_delta_at = now;
        // After an interrupted stream the CLI repeats the request and the whole answer (recording
        // `drop`).
        if self.repeats.is_repeated(&message.content)
            && let Some(message_id) = self.message.take()
        {
            output.event(Event::MessageDiscarded(MessageDiscarded { message_id }));
        }
        let message_id = self.message.get_or_insert_with(|| {
            self.message_count += 1;
            format!("message-{}", self.message_count)
        });
        output.text_delta(message_id, &message.content);
    }

    /// Ends the current message, because a line other than text follows.
    fn end_answer(&mut self, output: &mut RunOutput) {
        self.repeats.end_answer();
        self.last_delta_at = None;
        if let Some(message_id) = self.message.take() {
            output.event(Event::MessageStopped(MessageStopped { message_id }));
        }
    }

    fn on_error(&mut self, error: ErrorLine, output: &mut RunOutput) {
        if error.severity == "error" {
            self.error_text = Some(error.message.clone());
        }
        let notice = od_sdk::event::notice(NoticeLevel::Warn, "cli_complaint", error.message);
        output.event(Event::Notice(notice));
    }

    /// The last line.
    fn on_result(&mut self, result: &ResultLine, output: &mut RunOutput) {
        self.end_answer(output);
        usage::report(&result.stats, output);
        if output.is_cancelling() {
            return;
        }
        if result.status == "success" {
            self.end_turn(StopReason::EndTurn, output);
            return output.finish(RunOutcome::COMPLETED);
        }
        let text = match (&result.error, self.error_text.take()) {
            (Some(error), _) => error.message.clone(),
            (None, Some(error_text)) => error_text,
            (None, None) => "the model returned no answer".to_owned(),
        };
        output.fail(failure::classify(&text, None, self.credential.as_ref()));
    }

    fn end_turn(&self, stop_reason: StopReason, output: &mut RunOutput) {
        output.event(Event::TurnEnded(TurnEnded { turn_id: TURN_ID.to_owned(), stop_reason }));
    }
}

impl Mapper for Events {
    fn on_line(&mut self, line: &[u8], output: &mut RunOutput) {
        // A line that is not a JSON object with a type is ignored.
        let Ok(head) = serde_json::from_slice::<Head<'_>>(line) else { return };
        if self.on_typed_line(&head.kind, line, output).is_none() {
            output.unmapped(&head.kind, line);
        }
    }

    fn on_stderr_line(&mut self, line: &[u8], output: &mut RunOutput) {
        self.retries.on_stderr_line(line, output);
    }

    /// The CLI ignores SIGINT without a terminal (recording `sigint-slow`).
    fn on_cancel(&mut self, _output: &mut RunOutput) -> PoliteStop {
        PoliteStop::Terminate
    }

    fn on_exit(&mut self, exit: &Exit, output: &mut RunOutput) -> Option<RunOutcome> {
        let failure = failure::of_exit(exit, self.credential.as_ref())?;
        let stop_reason = od_sdk::failure::stop_reason(&failure.kind);
        output.event(Event::Error(ErrorEvent { fatal: true, ..failure }));
        Some(RunOutcome {
            status: DoneStatus::Failed,
            stop_reason,
            evidence: DoneEvidence::ExitCode,
        })
    }
}

fn read<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Option<T> {
    serde_json::from_slice(line).ok()
}
