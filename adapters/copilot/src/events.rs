//! The CLI's JSON lines → protocol events: one state machine per run. Pure: no clock, no file, no
//! process. This file is the switchboard; each chapter has a room of its own below `events/`.

mod meter;
mod retries;
mod speech;
pub(crate) mod tools;

use od_protocol::adapter::StartRunParams;
use od_protocol::{DoneEvidence, DoneStatus, Event, McpServerStatus, SessionMode, SessionStarted, StopReason, TurnEnded, TurnStarted};
use od_sdk::start_run::AdapterOptions;
use od_sdk::{RunOutcome, Exit, Invocation, Mapper, PoliteStop, RunOutput};
use serde::Deserialize;

use crate::failure;
use crate::invocation::SESSION_FLAG;
use crate::native::{Delta, Line, ResultLine, Server, Session, TEXT_START, TextLine, Trouble};
use crate::options::Options;
use meter::Meter;
use retries::Retries;
use speech::Speech;
use tools::Tools;

/// The one turn of a run: what the CLI calls turns are its requests to the model.
const TURN: &str = "turn-1";

/// The state of one run.
#[derive(Debug)]
pub struct Events {
    mode: SessionMode,
    /// The session, as far as it is known before the CLI names it.
    session_id: Option<String>,
    cwd: String,
    servers: Vec<Server>,
    is_open: bool,
    speech: Speech,
    tools: Tools,
    retries: Retries,
    meter: Meter,
    /// What the CLI called an error.
    trouble: Option<Trouble>,
    was_aborted: bool,
}

impl Events {
    /// Before the first line.
    pub fn new(start_run_params: &StartRunParams) -> Self {
        let options = Options::lenient(start_run_params);
        Self {
            mode: start_run_params.session.mode,
            session_id: start_run_params.session.id.clone(),
            cwd: start_run_params.cwd.clone(),
            servers: Vec::new(),
            is_open: false,
            speech: Speech::default(),
            tools: Tools::default(),
            retries: Retries::new(&options),
            meter: Meter::default(),
            trouble: None,
            was_aborted: false,
        }
    }

    fn on_data(&mut self, kind: &str, data: &str, output: &mut RunOutput) -> Option<()> {
        match kind {
            "assistant.message_delta" => self.speech.on_text(&read::<Delta<'_>>(data)?, output),
            "assistant.reasoning_delta" => {
                self.speech.on_thought(&read::<Delta<'_>>(data)?, output);
            }
            "assistant.message_start" => self.speech.begin(&read::<Delta<'_>>(data)?, output),
            "assistant.message" => self.speech.on_whole(&read(data)?, output),
            "assistant.tool_call_delta" => {
                self.speech.end_thought(output);
                self.tools.on_delta(&read(data)?, output);
            }
            "tool.execution_start" => self.tools.on_start(&read(data)?, output),
            "tool.shell_output" => self.tools.on_output(&read(data)?, output),
            "tool.execution_complete" => self.tools.on_complete(&read(data)?, output),
            "model.call_failure" => self.retries.on_failure(read(data)?),
            "assistant.turn_retry" => self.on_retry(&read(data)?, output),
            "session.error" => self.trouble = Some(read(data)?),
            "abort" | "agent.interrupted" => self.was_aborted = true,
            "session.mcp_servers_loaded" => self.servers = read::<Session>(data)?.servers,
            "session.tools_updated" => self.open(read::<Session>(data)?.model, output),
            "user.message" | "assistant.turn_start" => self.open(None, output),
            // Said again elsewhere, or about the CLI's own affairs.
            "assistant.reasoning"
            | "assistant.turn_end"
            | "assistant.idle"
            | "model.call_start"
            | "model.call_finished"
            | "model.call_final_result"
            | "tool.execution_partial_result"
            | "session.info"
            | "session.skills_loaded"
            | "session.background_tasks_changed"
            | "session.mcp_server_status_changed"
            | "session.mcp_server_tools_loaded"
            | "session.custom_agents_updated" => {}
            _ => return None,
        }
        Some(())
    }

    /// The session and its turn begin with the first line that belongs to the prompt.
    fn open(&mut self, model: Option<String>, output: &mut RunOutput) {
        if self.is_open {
            return;
        }
        self.is_open = true;
        self.meter.model = model;
        if let Some(session_id) = self.session_id.clone() {
            self.name_session(session_id, output);
        }
        output.event(Event::TurnStarted(TurnStarted { turn_id: TURN.to_owned() }));
    }

    fn name_session(&mut self, session_id: String, output: &mut RunOutput) {
        let servers = self.servers.drain(..);
        let servers =
            servers.map(|server| McpServerStatus { name: server.name, status: server.status });
        output.event(Event::SessionStarted(SessionStarted {
            session_id,
            mode: self.mode,
            parent_session_id: None,
            model: self.meter.model.clone(),
            cwd: Some(self.cwd.clone()),
            tools: None,
            mcp_servers: Some(servers.collect()),
        }));
    }

    /// Another request is made for the same answer: what was said of it no longer counts
    /// (recordings `drop`, `r429`).
    fn on_retry(&mut self, trouble: &Trouble, output: &mut RunOutput) {
        self.speech.discard(output);
        self.tools.abandon(output);
        if let Some(error) = self.retries.on_retry(trouble, output) {
            self.end_turn(StopReason::Error, output);
            output.fail(error);
        }
    }

    fn on_result(&mut self, result: &ResultLine, output: &mut RunOutput) {
        self.open(None, output);
        if let (None, Some(session_id)) = (&self.session_id, &result.session_id) {
            self.session_id = Some(session_id.clone());
            self.name_session(session_id.clone(), output);
        }
        self.speech.end(output);
        let failure = match &self.trouble {
            Some(trouble) => Some(failure::of_trouble(trouble)),
            None if result.exit_code != 0 => Some(failure::nameless(result.exit_code)),
            None => None,
        };
        if self.was_aborted {
            self.end_turn(StopReason::Cancelled, output);
            return output.finish(RunOutcome {
                status: DoneStatus::Cancelled,
                stop_reason: StopReason::Cancelled,
                evidence: DoneEvidence::NativeResult,
            });
        }
        match failure {
            Some(error) => {
                self.end_turn(StopReason::Error, output);
                output.fail(error);
            }
            None => {
                self.end_turn(StopReason::EndTurn, output);
                output.finish(RunOutcome::COMPLETED);
            }
        }
    }

    fn end_turn(&self, stop_reason: StopReason, output: &mut RunOutput) {
        output.event(Event::TurnEnded(TurnEnded { turn_id: TURN.to_owned(), stop_reason }));
    }
}

impl Mapper for Events {
    /// A new session has the id that the invocation made up.
    fn on_started(&mut self, invocation: &Invocation, _output: &mut RunOutput) {
        let mut arguments = invocation.args.iter().map(|argument| &argument.text);
        if arguments.by_ref().any(|argument| argument == SESSION_FLAG) {
            self.session_id = arguments.next().cloned();
        }
    }

    fn on_line(&mut self, line: &[u8], output: &mut RunOutput) {
        if line.starts_with(TEXT_START)
            && let Ok(TextLine { data }) = serde_json::from_slice(line)
        {
            return self.speech.on_text(&data, output);
        }
        // What is no JSON object with a type is noise.
        let Ok(Line { kind, data }) = serde_json::from_slice(line) else { return };
        let understood = match (&*kind, data) {
            ("result", _) => {
                serde_json::from_slice(line).ok().map(|result| self.on_result(&result, output))
            }
            (kind, Some(data)) => self.on_data(kind, data.get(), output),
            (_, None) => None,
        };
        if understood.is_none() {
            output.unmapped(&kind, line);
        }
    }

    /// The loader must not be left alone: the whole group is told (recordings `sigterm_slow`,
    /// `native_sigterm_slow`).
    fn on_cancel(&mut self, _output: &mut RunOutput) -> PoliteStop {
        PoliteStop::Terminate
    }

    fn on_report(&mut self, report: &[u8], output: &mut RunOutput) {
        self.meter.on_report(report, output);
    }

    fn on_exit(&mut self, exit: &Exit, output: &mut RunOutput) -> Option<RunOutcome> {
        let error = match &self.trouble {
            Some(trouble) => failure::of_trouble(trouble),
            None => failure::of_exit(exit)?,
        };
        output.fail(error);
        None
    }
}

fn read<'a, T: Deserialize<'a>>(data: &'a str) -> Option<T> {
    serde_json::from_str(data).ok()
}
