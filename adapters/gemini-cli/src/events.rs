//! The words of `stream-json` → protocol events: one state machine per run. Pure: no clock, no file,
//! no process; the pause that tells a retry is in the lines themselves.

mod meter;
mod tools;

use od_protocol::adapter::StartRunParams;
use od_protocol::{
    Credential, DoneEvidence, DoneStatus, ErrorEvent, Event, MessageDiscarded, MessageStopped,
    Notice, NoticeLevel, SessionChoice, SessionStarted, StopReason, TurnEnded, TurnStarted,
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

/// The model that stands for "whichever the CLI chooses".
const AUTO: &str = "auto";
/// A run in this mode has one turn.
const TURN: &str = "turn-1";
/// The CLI waits so long, and then longer, before it asks for a broken stream again.
pub(crate) const RETRY_PAUSE_MS: u64 = 1_000;

/// The state of one run.
#[derive(Debug)]
pub struct Events {
    session: SessionChoice,
    credential: Option<Credential>,
    retries: Retries,
    tools: Tools,
    message: Option<String>,
    messages: u32,
    restart: RepeatDetector,
    last_piece_at: Option<u64>,
    /// What the CLI complained about before its last word.
    complaint: Option<String>,
}

impl Events {
    /// Before the first line.
    pub fn new(start_run_params: &StartRunParams, install: &Install) -> Self {
        Self {
            session: start_run_params.session.clone(),
            credential: install.credential.clone(),
            retries: Retries::new(&Options::lenient(start_run_params)),
            tools: Tools::new(&start_run_params.cwd),
            message: None,
            messages: 0,
            restart: RepeatDetector::default(),
            last_piece_at: None,
            complaint: None,
        }
    }

    /// `None`: not understood.
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
            model: init.model.filter(|model| model != AUTO),
            cwd: None,
            tools: None,
            mcp_servers: None,
        }));
        output.event(Event::TurnStarted(TurnStarted { turn_id: TURN.to_owned() }));
    }

    /// The prompt is echoed; only the answer counts.
    fn on_message(&mut self, message: &Message<'_>, output: &mut RunOutput) {
        if message.role != "assistant" || message.content.is_empty() {
            return;
        }
        let now = rfc3339_millis(&message.timestamp);
        if let (Some(before), Some(now)) = (self.last_piece_at, now)
            && now.saturating_sub(before) >= RETRY_PAUSE_MS
        {
            self.restart.pause();
        }
        self.last_piece_at = now;
        // A stream that breaks off is asked for again, and the whole answer comes once more
        // (recording `drop`).
        if self.restart.is_repeated(&message.content)
            && let Some(message_id) = self.message.take()
        {
            output.event(Event::MessageDiscarded(MessageDiscarded { message_id }));
        }
        let message_id = self.message.get_or_insert_with(|| {
            self.messages += 1;
            format!("message-{}", self.messages)
        });
        output.text_delta(message_id, &message.content);
    }

    /// Something that is no text: the answer so far stands.
    fn end_answer(&mut self, output: &mut RunOutput) {
        self.restart.end_answer();
        self.last_piece_at = None;
        if let Some(message_id) = self.message.take() {
            output.event(Event::MessageStopped(MessageStopped { message_id }));
        }
    }

    fn on_error(&mut self, error: ErrorLine, output: &mut RunOutput) {
        if error.severity == "error" {
            self.complaint = Some(error.message.clone());
        }
        output.event(Event::Notice(Notice {
            level: NoticeLevel::Warn,
            code: "cli_complaint".to_owned(),
            text: error.message,
            hint: None,
        }));
    }

    /// The last word.
    fn on_result(&mut self, result: &ResultLine, output: &mut RunOutput) {
        self.end_answer(output);
        meter::report(&result.stats, output);
        if output.is_cancelling() {
            return;
        }
        if result.status == "success" {
            self.end_turn(StopReason::EndTurn, output);
            return output.finish(RunOutcome::COMPLETED);
        }
        let text = match (&result.error, self.complaint.take()) {
            (Some(error), _) => error.message.clone(),
            (None, Some(complaint)) => complaint,
            (None, None) => "the model gave no answer".to_owned(),
        };
        output.fail(failure::classify(&text, None, self.credential.as_ref()));
    }

    fn end_turn(&self, stop_reason: StopReason, output: &mut RunOutput) {
        output.event(Event::TurnEnded(TurnEnded { turn_id: TURN.to_owned(), stop_reason }));
    }
}

impl Mapper for Events {
    fn on_line(&mut self, line: &[u8], output: &mut RunOutput) {
        // What is no JSON object with a type is noise.
        let Ok(head) = serde_json::from_slice::<Head<'_>>(line) else { return };
        if self.on_typed_line(&head.kind, line, output).is_none() {
            output.unmapped(&head.kind, line);
        }
    }

    fn on_stderr_line(&mut self, line: &[u8], output: &mut RunOutput) {
        self.retries.on_stderr_line(line, output);
    }

    /// SIGINT is passed over when nobody sits at a terminal (recording `sigint-slow`).
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
