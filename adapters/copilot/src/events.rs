//! Maps the CLI's JSON lines to protocol events: one state machine per run. Pure: no clock, no file,
//! no process. This file dispatches by line type; the modules below `events/` do the mapping.

mod messages;
mod retries;
pub(crate) mod tools;
mod usage;

use od_protocol::adapter::StartRunParams;
use od_protocol::{
    Event, McpServerStatus, SessionMode, SessionStarted, StopReason, TurnEnded, TurnStarted,
};
use od_sdk::start_run::AdapterOptions;
use od_sdk::{Exit, Invocation, Mapper, PoliteStop, RunOutcome, RunOutput};
use serde::Deserialize;

use crate::failure;
use crate::invocation::SESSION_FLAG;
use crate::native::{CliError, Delta, Line, ResultLine, Server, Session, TEXT_START, TextLine};
use crate::options::Options;
use messages::Messages;
use retries::Retries;
use tools::Tools;
use usage::UsageTracker;

/// The run's only turn: the CLI's own turns are requests to the model.
const TURN_ID: &str = "turn-1";

/// The state of one run.
#[derive(Debug)]
pub struct Events {
    mode: SessionMode,
    /// The session id, if known before the CLI prints it.
    session_id: Option<String>,
    cwd: String,
    servers: Vec<Server>,
    is_started: bool,
    messages: Messages,
    tools: Tools,
    retries: Retries,
    usage: UsageTracker,
    /// The last `session.error`.
    cli_error: Option<CliError>,
    is_aborted: bool,
}

impl Events {
    /// Creates the state before the first line.
    pub fn new(start_run_params: &StartRunParams) -> Self {
        let options = Options::lenient(start_run_params);
        Self {
            mode: start_run_params.session.mode,
            session_id: start_run_params.session.id.clone(),
            cwd: start_run_params.cwd.clone(),
            servers: Vec::new(),
            is_started: false,
            messages: Messages::default(),
            tools: Tools::default(),
            retries: Retries::new(&options),
            usage: UsageTracker::default(),
            cli_error: None,
            is_aborted: false,
        }
    }

    fn on_data(&mut self, kind: &str, data: &str, output: &mut RunOutput) -> Option<()> {
        match kind {
            "assistant.message_delta" => self.messages.on_text(&read::<Delta<'_>>(data)?, output),
            "assistant.reasoning_delta" => {
                self.messages.on_thought(&read::<Delta<'_>>(data)?, output);
            }
            "assistant.message_start" => self.messages.start(&read::<Delta<'_>>(data)?, output),
            "assistant.message" => self.messages.on_complete(&read(data)?, output),
            "assistant.tool_call_delta" => {
                self.messages.end_thought(output);
                self.tools.on_delta(&read(data)?, output);
            }
            "tool.execution_start" => self.tools.on_start(&read(data)?, output),
            "tool.shell_output" => self.tools.on_output(&read(data)?, output),
            "tool.execution_complete" => self.tools.on_complete(&read(data)?, output),
            "model.call_failure" => self.retries.on_failure(read(data)?),
            "assistant.turn_retry" => self.on_retry(&read(data)?, output),
            "session.error" => self.cli_error = Some(read(data)?),
            "abort" | "agent.interrupted" => self.is_aborted = true,
            "session.mcp_servers_loaded" => self.servers = read::<Session>(data)?.servers,
            "session.tools_updated" => self.start(read::<Session>(data)?.model, output),
            "user.message" | "assistant.turn_start" => self.start(None, output),
            // Repeated in other lines, or internal to the CLI.
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

    /// Starts the session and its turn at the first line that belongs to the prompt.
    fn start(&mut self, model: Option<String>, output: &mut RunOutput) {
        if self.is_started {
            return;
        }
        self.is_started = true;
        self.usage.model = model;
        if let Some(session_id) = self.session_id.clone() {
            self.emit_session(session_id, output);
        }
        output.event(Event::TurnStarted(TurnStarted { turn_id: TURN_ID.to_owned() }));
    }

    fn emit_session(&mut self, session_id: String, output: &mut RunOutput) {
        let servers = self.servers.drain(..);
        let servers =
            servers.map(|server| McpServerStatus { name: server.name, status: server.status });
        output.event(Event::SessionStarted(SessionStarted {
            session_id,
            mode: self.mode,
            parent_session_id: None,
            model: self.usage.model.clone(),
            cwd: Some(self.cwd.clone()),
            tools: None,
            mcp_servers: Some(servers.collect()),
        }));
    }

    /// The CLI repeats the request: the previous text is discarded (recordings `drop`, `r429`).
    fn on_retry(&mut self, cli_error: &CliError, output: &mut RunOutput) {
        self.messages.discard(output);
        self.tools.abandon(output);
        if let Some(error) = self.retries.on_retry(cli_error, output) {
            self.end_turn(StopReason::Error, output);
            output.fail(error);
        }
    }

    fn on_result(&mut self, result: &ResultLine, output: &mut RunOutput) {
        self.start(None, output);
        if let (None, Some(session_id)) = (&self.session_id, &result.session_id) {
            self.session_id = Some(session_id.clone());
            self.emit_session(session_id.clone(), output);
        }
        self.messages.end(output);
        let failure = match &self.cli_error {
            Some(cli_error) => Some(failure::of_cli_error(cli_error)),
            None if result.exit_code != 0 => Some(failure::failed_exit(result.exit_code)),
            None => None,
        };
        if self.is_aborted {
            self.end_turn(StopReason::Cancelled, output);
            return output.finish(RunOutcome::CANCELLED);
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
        output.event(Event::TurnEnded(TurnEnded { turn_id: TURN_ID.to_owned(), stop_reason }));
    }
}

impl Mapper for Events {
    /// A new session has the id that the invocation chose.
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
            return self.messages.on_text(&data, output);
        }
        // A line that is not a JSON object with a type is ignored.
        let Ok(Line { kind, data }) = serde_json::from_slice(line) else { return };
        let mapped = match (&*kind, data) {
            ("result", _) => {
                serde_json::from_slice(line).ok().map(|result| self.on_result(&result, output))
            }
            (kind, Some(data)) => self.on_data(kind, data.get(), output),
            (_, None) => None,
        };
        if mapped.is_none() {
            output.unmapped(&kind, line);
        }
    }

    /// Signals the whole process group: a signal to the loader alone leaves the agent running
    /// (recordings `sigterm_slow`, `native_sigterm_slow`).
    fn on_cancel(&mut self, _output: &mut RunOutput) -> PoliteStop {
        PoliteStop::Terminate
    }

    fn on_report(&mut self, report: &[u8], output: &mut RunOutput) {
        self.usage.on_report(report, output);
    }

    fn on_exit(&mut self, exit: &Exit, output: &mut RunOutput) -> Option<RunOutcome> {
        let error = match &self.cli_error {
            Some(cli_error) => failure::of_cli_error(cli_error),
            None => failure::of_exit(exit)?,
        };
        output.fail(error);
        None
    }
}

fn read<'a, T: Deserialize<'a>>(data: &'a str) -> Option<T> {
    serde_json::from_str(data).ok()
}
