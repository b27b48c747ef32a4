//! Maps the lines of the CLI to protocol events: one state machine per run. Pure: no clock, no file,
//! no process. This file dispatches; the details are in `events/`.

mod dialogs;
mod failure;
mod files;
mod inputs;
mod messages;
mod notices;
mod outcome;
mod retries;
mod session;
mod tools;
mod usage;

use od_protocol::adapter::{RespondRunParams, StartRunParams};
use od_protocol::{Credential, DoneEvidence, ErrorKind, Event, InputOutcome, NoticeLevel};
use serde::Deserialize;

use super::content::{blocks, text_of};
use super::native::{
    AgentEndLine, DialogLine, ExecutionLine, Head, Message, MessageLine, PromptResultLine,
    ResponseLine, RetryLine, SessionLine, State, UpdateLine,
};
use super::options::Options;
use super::{Dialect, Mode, commands};
use dialogs::Dialogs;
use failure::CliError;
use inputs::Inputs;
use messages::Messages;
use od_sdk::{Exit, Install, Mapper, PoliteStop, RunOutcome, RunOutput, UserInput};
use outcome::LastAnswer;
use retries::Retries;
use session::{Session, notice};
use tools::Tools;
use usage::UsageTracker;

/// The start of lines that stream the answer; they are parsed in one pass.
const UPDATE_START: &[u8] = br#"{"type":"message_update""#;

/// The state of one run.
#[derive(Debug)]
pub struct PiEvents {
    dialect: Dialect,
    mode: Mode,
    session: Session,
    messages: Messages,
    tools: Tools,
    usage: UsageTracker,
    retries: Retries,
    inputs: Inputs,
    dialogs: Dialogs,
    last: LastAnswer,
    credential: Option<Credential>,
    /// The agent is working.
    is_working: bool,
    /// The agent reported the end of its work; a retry or input may still follow.
    has_ended: bool,
    /// The agent reported that nothing more follows.
    is_settled: bool,
    /// The CLI has written a line, so it reads its stdin.
    is_alive: bool,
    /// This version does not report `agent_settled`: the end of the process ends the work.
    ends_by_exit: bool,
    /// Notices to emit at the first line.
    warnings: Vec<String>,
}

impl PiEvents {
    /// The state before the first line.
    pub fn new(dialect: Dialect, start_run_params: &StartRunParams, install: &Install) -> Self {
        let options = Options::lenient(&start_run_params.adapter_options, &dialect);
        let mode = options.mode().unwrap_or_else(|| dialect.mode(install));
        let is_degraded = mode == Mode::Json && options.mode().is_none();
        Self {
            dialect,
            mode,
            session: Session::new(&start_run_params.session, &start_run_params.cwd),
            messages: Messages::default(),
            tools: Tools::default(),
            usage: UsageTracker::default(),
            retries: Retries::new(&options),
            inputs: Inputs::default(),
            dialogs: Dialogs::new(dialect.approval_choices, install.host_answers_approvals),
            last: LastAnswer::default(),
            credential: install.credential.clone(),
            is_working: false,
            has_ended: false,
            is_settled: false,
            is_alive: false,
            ends_by_exit: dialect.mode(install) == Mode::Json,
            warnings: notices::warnings(&dialect, install, is_degraded),
        }
    }

    /// Handles one line; returns `None` for an unknown one.
    fn on_typed_line(&mut self, kind: &str, line: &[u8], output: &mut RunOutput) -> Option<()> {
        match kind {
            "message_update" => self.on_update(line, output)?,
            "message_start" => self.on_message_start(read(line)?, output),
            "message_end" => self.on_message_end(read(line)?, output),
            "tool_execution_start" => {
                let line: ExecutionLine = read(line)?;
                self.tools.on_running(&line, output);
            }
            "tool_execution_update" => {
                let line: ExecutionLine = read(line)?;
                self.tools.on_update(&line, output);
            }
            "tool_execution_end" => {
                let line: ExecutionLine = read(line)?;
                self.dialogs.forget_question();
                self.tools.on_result(&line, &self.session.cwd, output);
            }
            "session" => {
                let line: SessionLine = read(line)?;
                self.session.on_header(line, output);
            }
            "agent_start" => self.on_agent_start(output),
            "agent_end" => self.on_agent_end(&read(line)?, output),
            "agent_settled" => self.on_settled(output),
            "auto_retry_start" => self.on_retry(&read(line)?, output),
            "auto_retry_end" => {}
            "response" => self.on_response(read(line)?, output),
            "extension_ui_request" => {
                let line: DialogLine = read(line)?;
                self.dialogs.on_request(line, &self.tools, output)?;
            }
            "prompt_result" => {
                let line: PromptResultLine = read(line)?;
                if !line.agent_invoked {
                    self.on_settled(output);
                }
            }
            _ => return notices::on_line(kind, line, output),
        }
        Some(())
    }

    fn on_update(&mut self, line: &[u8], output: &mut RunOutput) -> Option<()> {
        let line: UpdateLine<'_> = serde_json::from_slice(line).ok()?;
        self.retries.on_piece(output);
        self.messages.on_piece(line.assistant_message_event, &mut self.tools, output)
    }

    fn on_message_start(&mut self, line: MessageLine, output: &mut RunOutput) {
        let message = line.message;
        let by_person = message.attribution.as_deref().is_none_or(|by| by == "user");
        match message.role.as_str() {
            "user" if by_person => self.inputs.on_message(text_of(&message.content), output),
            "assistant" => self.messages.begin(output),
            _ => {}
        }
    }

    fn on_message_end(&mut self, line: MessageLine, output: &mut RunOutput) {
        let message = line.message;
        if message.role != "assistant" {
            return;
        }
        self.usage.on_message(&message, output);
        let has_failed = matches!(message.stop_reason.as_deref(), Some("error" | "aborted"));
        if has_failed {
            self.messages.fail(output);
            self.tools.abandon(output);
        } else {
            self.retries.on_answer();
            self.complete_answer(&message, output);
        }
        self.last.set(message);
    }

    fn complete_answer(&mut self, message: &Message, output: &mut RunOutput) {
        let blocks = blocks(message.content.clone());
        self.messages.on_whole(&blocks, output);
        self.messages.end(output);
        for block in blocks.iter().filter(|block| block.kind == "toolCall") {
            self.tools.on_ready(block, output);
        }
    }

    fn on_agent_start(&mut self, output: &mut RunOutput) {
        if self.has_ended {
            self.end_turn(output);
        }
        self.is_working = true;
        self.has_ended = false;
        self.is_settled = false;
        self.session.turns.ensure(output);
        self.inputs.on_start(output);
    }

    fn on_agent_end(&mut self, line: &AgentEndLine, output: &mut RunOutput) {
        self.dialogs.forget_question();
        self.has_ended = !line.will_retry;
        if line.is_terminal {
            self.on_settled(output);
        }
    }

    /// The agent has settled. Input that was sent just before starts another turn.
    fn on_settled(&mut self, output: &mut RunOutput) {
        self.is_settled = true;
        if !self.inputs.has_unaccepted() || output.is_cancelling() {
            self.conclude(DoneEvidence::NativeResult, output);
        }
    }

    /// The request is retried: the turn continues, and the text of the failed answer is discarded.
    fn on_retry(&mut self, line: &RetryLine, output: &mut RunOutput) {
        self.has_ended = false;
        self.messages.discard_failed(output);
        if let Some(cli_error) = self.retries.on_retry(line, &self.dialect, output) {
            self.fail_and_abort(&cli_error, output);
        }
    }

    fn fail_and_abort(&self, cli_error: &CliError, output: &mut RunOutput) {
        let error = cli_error.event(&self.dialect, self.credential.as_ref());
        output.event(Event::Error(error));
        if self.mode == Mode::Rpc {
            output.write_json(&commands::abort());
        }
        output.finish(outcome::failed(DoneEvidence::Watchdog));
    }

    fn on_response(&mut self, line: ResponseLine, output: &mut RunOutput) {
        let error = line.error.as_deref().unwrap_or("the command was refused");
        match line.id.as_deref() {
            Some(_) if line.success && line.command == "get_state" => {
                let Ok(state) = State::deserialize(&line.data) else { return };
                let window = state.model.as_ref().and_then(|model| model.context_window);
                self.usage.context_window = window.filter(|window| *window > 0);
                self.session.on_state(state, output);
            }
            Some(commands::PROMPT_ID) if !line.success => self.on_refused_prompt(error, output),
            // omp: a command of the CLI, which does not reach the model.
            Some(commands::PROMPT_ID) if line.data["agentInvoked"] == false => {
                self.on_settled(output);
            }
            Some(id) if !line.success => {
                self.inputs.on_refused(id, error, output);
                if self.is_settled {
                    self.on_settled(output);
                }
            }
            _ => {}
        }
    }

    fn on_refused_prompt(&mut self, error: &str, output: &mut RunOutput) {
        let event = failure::refusal(error, &self.dialect).unwrap_or_else(|| {
            CliError::new(error, None).event(&self.dialect, self.credential.as_ref())
        });
        output.fail(event);
    }

    fn end_turn(&mut self, output: &mut RunOutput) {
        self.usage.end_turn(output);
        self.session.turns.end(self.last.stop_reason(output.is_cancelling()), output);
    }

    fn conclude(&mut self, evidence: DoneEvidence, output: &mut RunOutput) {
        let ending = self.ending(evidence, output);
        output.close_stdin();
        output.finish(ending);
    }

    fn ending(&mut self, evidence: DoneEvidence, output: &mut RunOutput) -> RunOutcome {
        self.messages.end(output);
        self.end_turn(output);
        if let Some(cli_error) = self.last.cli_error(output.is_cancelling()) {
            let error = cli_error.event(&self.dialect, self.credential.as_ref());
            if error.kind == ErrorKind::RateLimited {
                retries::emit_limit(&cli_error, output);
            }
            output.event(Event::Error(error));
        }
        self.last.ending(evidence, output.is_cancelling())
    }
}

impl Mapper for PiEvents {
    fn on_line(&mut self, line: &[u8], output: &mut RunOutput) {
        if line.starts_with(UPDATE_START) && self.on_update(line, output).is_some() {
            return;
        }
        // Anything but a JSON object with a type is ignored.
        let Some(Head { kind }) = read(line) else { return };
        self.is_alive = true;
        for warning in std::mem::take(&mut self.warnings) {
            output.event(notice(NoticeLevel::Warn, "degraded", warning));
        }
        if self.on_typed_line(&kind, line, output).is_none() {
            output.unmapped(&kind, line);
        }
    }

    fn on_silence(&mut self, output: &mut RunOutput) {
        if let Some(cli_error) = self.retries.on_silence() {
            self.fail_and_abort(&cli_error, output);
        }
    }

    fn on_input(&mut self, input: UserInput<'_>, output: &mut RunOutput) -> InputOutcome {
        if self.mode == Mode::Json || input.is_for_other_turn(self.session.turns.current()) {
            return InputOutcome::Refused;
        }
        if self.dialogs.answer(input.text, output).is_some() {
            return InputOutcome::Steered;
        }
        if !self.is_working {
            self.inputs.hold(input.text);
            return InputOutcome::Queued;
        }
        self.inputs.send(input.text, output);
        // The model sees it before its next answer (recording `input`).
        InputOutcome::Steered
    }

    fn on_decision(&mut self, respond_run_params: &RespondRunParams, output: &mut RunOutput) {
        self.dialogs.decide(respond_run_params, &mut self.tools, output);
    }

    /// `abort` also ends tools and retries; the CLI must already read its stdin.
    fn on_cancel(&mut self, output: &mut RunOutput) -> PoliteStop {
        match self.mode {
            Mode::Rpc if self.is_alive => {
                output.write_json(&commands::abort());
                PoliteStop::Written
            }
            _ => PoliteStop::Terminate,
        }
    }

    fn on_exit(&mut self, exit: &Exit, output: &mut RunOutput) -> Option<RunOutcome> {
        if self.has_ended && self.ends_by_exit {
            return Some(self.ending(DoneEvidence::NativeResult, output));
        }
        output.event(Event::Error(failure::of_exit(exit, &self.dialect)?));
        Some(outcome::failed(DoneEvidence::ExitCode))
    }
}

fn read<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Option<T> {
    serde_json::from_slice(line).ok()
}
