//! Maps the CLI's lines to protocol events: one state machine per run. Pure: no clock, no file, no
//! process. This file dispatches by line type; the modules below `events/` do the mapping.

mod approvals;
mod failure;
mod files;
mod inputs;
mod limits;
mod messages;
mod outcome;
mod plan;
mod session;
mod subagents;
mod tools;
mod usage;

use od_protocol::adapter::{RespondRunParams, StartRunParams};
use od_protocol::{DoneEvidence, Event, Status, StopReason};
use od_protocol::{InputOutcome, Notice, NoticeLevel};
use od_sdk::start_run::AdapterOptions;
use od_sdk::stream_json::{
    AssistantLine, Block, ControlRequestLine, Head, STREAM_EVENT_START, StreamLine, UserLine,
    blocks, control,
};
use od_sdk::{Exit, Install, Mapper, PoliteStop, RunOutcome, RunOutput, UserInput};
use serde::Deserialize;
use serde_json::Value;

use crate::native::{Init, LifecycleLine, RateLimitLine, ResultLine, SystemLine};
use crate::options::Options;
use approvals::Approvals;
use failure::{CliError, Failure};
use inputs::Inputs;
use limits::Limits;
use messages::Messages;
use plan::TaskList;
use session::Session;
use subagents::Subagents;
use tools::Tools;
use usage::UsageTracker;

/// How a turn ended.
#[derive(Debug)]
struct TurnOutcome {
    /// The outcome of the run if no other turn follows.
    run_outcome: RunOutcome,
    failure: Option<Failure>,
}

/// The state of one run.
#[derive(Debug)]
pub struct Events {
    session: Session,
    messages: Messages,
    tools: Tools,
    subagents: Subagents,
    plan: TaskList,
    approvals: Approvals,
    inputs: Inputs,
    limits: Limits,
    usage: UsageTracker,
    /// The error that the CLI printed in place of a message, until the result of the turn.
    cli_error: Option<CliError>,
    /// The outcome of the last turn, until it is known whether another turn follows.
    turn_outcome: Option<TurnOutcome>,
    has_output_schema: bool,
}

impl Events {
    /// Creates the state before the first line. `new_id` returns the ids of input lines.
    pub fn new(
        start_run_params: &StartRunParams,
        install: &Install,
        new_id: fn() -> String,
    ) -> Self {
        let options = Options::lenient(start_run_params);
        Self {
            session: Session::new(&start_run_params.session),
            messages: Messages::default(),
            tools: Tools::default(),
            subagents: Subagents::default(),
            plan: TaskList::default(),
            approvals: Approvals::default(),
            inputs: Inputs::new(new_id),
            limits: Limits::new(&options, install.credential.clone()),
            usage: UsageTracker::default(),
            cli_error: None,
            turn_outcome: None,
            has_output_schema: start_run_params.output_schema.is_some(),
        }
    }

    fn on_typed_line(&mut self, head: &Head<'_>, line: &[u8], output: &mut RunOutput) {
        let mapped = match &*head.kind {
            "stream_event" => self.on_stream_event(line, output),
            "assistant" => read(line).map(|line| self.on_assistant(line, output)),
            "user" => read(line).map(|line| self.on_user(line, output)),
            "system" => self.on_system(head.subtype.as_deref().unwrap_or_default(), line, output),
            "result" => read(line).map(|line| self.on_result(&line, output)),
            "rate_limit_event" => read(line)
                .map(|line: RateLimitLine| self.limits.on_window(&line.rate_limit_info, output)),
            "control_request" => read(line).map(|line| self.on_control_request(line, output)),
            "control_cancel_request" => read(line)
                .map(|line: ControlRequestLine| self.approvals.withdraw(&line.request_id, output)),
            // Replies to the adapter's requests, and echoes of its responses (`--replay-user-messages`).
            "control_response" | "keep_alive" => Some(()),
            "command_lifecycle" => read(line).map(|line| self.on_lifecycle(&line, output)),
            "tool_progress" => {
                output.event(status("tool_running"));
                Some(())
            }
            _ => None,
        };
        if mapped.is_none() {
            output.unmapped(&head.native_type(), line);
        }
    }

    fn on_stream_event(&mut self, line: &[u8], output: &mut RunOutput) -> Option<()> {
        let stream_line: StreamLine<'_> = serde_json::from_slice(line).ok()?;
        // The output of a subagent is summarised, not forwarded.
        if stream_line.parent_tool_use_id.is_some() {
            return Some(());
        }
        self.session.turns.ensure(output);
        self.messages.on_stream(stream_line, &mut self.tools, &mut self.usage, output)
    }

    fn on_assistant(&mut self, line: AssistantLine, output: &mut RunOutput) {
        if let Some(parent) = &line.parent_tool_use_id {
            return self.subagents.count_calls(parent, &line.message.content);
        }
        self.session.turns.ensure(output);
        if let Some(error) = line.error {
            self.cli_error = Some(CliError::from_message(&error, line.message));
            return;
        }
        self.limits.reset();
        self.messages.start_complete(&line.message.id, &mut self.tools, output);
        self.usage.on_message(line.message.usage.as_ref());
        let streamed = self.messages.was_streamed(&line.message.id);
        for block in blocks(line.message.content) {
            match block.kind.as_str() {
                "text" if !streamed => output.text_delta(&line.message.id, &block.text),
                "thinking" if !streamed => {
                    self.messages.on_complete_thought(&block.thinking, output)
                }
                "text" | "thinking" | "redacted_thinking" => {}
                "tool_use" | "server_tool_use" | "mcp_tool_use" => self.on_tool_use(block, output),
                kind if kind.ends_with("_tool_result") => self.tools.on_result(
                    &Block { kind: "tool_result".to_owned(), ..block },
                    &Value::Null,
                    output,
                ),
                kind => output.unmapped(&format!("assistant/{kind}"), kind.as_bytes()),
            }
        }
    }

    fn on_tool_use(&mut self, block: Block, output: &mut RunOutput) {
        self.tools.on_ready(&block, output);
        self.plan.on_call(&block, output);
        session::on_skill_call(&block, output);
    }

    fn on_user(&mut self, line: UserLine, output: &mut RunOutput) {
        if line.parent_tool_use_id.is_some() || line.is_synthetic {
            return;
        }
        if line.is_replay {
            return self.inputs.on_echo(line.uuid.as_deref(), output);
        }
        let results: Vec<Block> = blocks(line.message.content)
            .into_iter()
            .filter(|block| block.kind == "tool_result")
            .collect();
        // The report refers to a single result.
        let report = if results.len() == 1 { line.tool_use_result } else { Value::Null };
        for block in results {
            self.tools.on_result(&block, &report, output);
            self.plan.on_result(&block.tool_use_id, &report, output);
            self.subagents.on_call_result(&block.tool_use_id, &report, output);
        }
    }

    /// Versions after 2.1.197 report when each input line is queued, started and completed.
    fn on_lifecycle(&mut self, line: &LifecycleLine, output: &mut RunOutput) {
        if line.state == "started" {
            self.inputs.on_echo(Some(&line.command_uuid), output);
        }
    }

    fn on_system(&mut self, subtype: &str, line: &[u8], output: &mut RunOutput) -> Option<()> {
        if subtype == "init" {
            let init: Init = read(line)?;
            self.report_turn_failure(output);
            self.session.on_init(init, output);
            return Some(());
        }
        let system: SystemLine = read(line)?;
        match subtype {
            "status" => self.session.on_status(&system, output),
            "session_state_changed" => {
                self.on_state(system.state.as_deref().unwrap_or_default(), output);
            }
            "api_retry" => self.limits.on_retry(&system, output),
            "compact_boundary" => session::on_compaction(&system, output),
            "task_started" => self.subagents.on_started(&system, output),
            "task_notification" => self.subagents.on_notification(&system, &self.tools, output),
            "hook_response" => session::on_hook(&system, output),
            // Progress of thoughts, tasks and hooks, and a refusal: other lines report the same.
            "thinking_tokens"
            | "background_tasks_changed"
            | "task_updated"
            | "task_progress"
            | "hook_started"
            | "hook_progress"
            | "model_refusal_no_fallback" => {}
            _ => return None,
        }
        Some(())
    }

    fn on_control_request(&mut self, line: ControlRequestLine, output: &mut RunOutput) {
        match line.request.subtype.as_str() {
            "can_use_tool" => self.approvals.ask(line, output),
            subtype => output.write_json(&control::refuse(&line.request_id, subtype)),
        }
    }

    fn on_result(&mut self, result: &ResultLine, output: &mut RunOutput) {
        self.session.turns.ensure(output);
        self.messages.end(output);
        self.usage.on_result(result, output);
        let failure = outcome::failure(result, self.cli_error.take(), &self.limits);
        let run_outcome = outcome::run_outcome(result, failure.as_ref(), output.is_cancelling());
        self.session.turns.end(run_outcome.stop_reason, output);
        self.report_structured_output(result, output);
        self.report_turn_failure(output);
        let is_error = result.is_error;
        self.turn_outcome = Some(TurnOutcome { run_outcome, failure });
        let may_continue = self.inputs.has_pending(self.session.turns.count(), output)
            || self.session.reports_state
            || (!is_error && self.subagents.has_running());
        if !may_continue || output.is_cancelling() {
            self.finish_run(output);
        }
    }

    /// The CLI is `idle` when no input line waits and no subagent runs in the background (recordings
    /// `sj_state_queue`, `sj_state_background_agent`).
    fn on_state(&mut self, state: &str, output: &mut RunOutput) {
        self.session.reports_state = true;
        if state == "idle" && !self.inputs.has_pending(self.session.turns.count(), output) {
            self.finish_run(output);
        }
    }

    /// Another turn follows: the failure of the last one does not fail the run.
    fn report_turn_failure(&mut self, output: &mut RunOutput) {
        if let Some(failure) = self.turn_outcome.take().and_then(|outcome| outcome.failure) {
            output.event(Event::Error(failure.into_event(false)));
        }
    }

    /// No other turn follows: the outcome of the last turn is that of the run.
    fn finish_run(&mut self, output: &mut RunOutput) {
        let Some(TurnOutcome { run_outcome, failure }) = self.turn_outcome.take() else { return };
        if let Some(failure) = failure {
            output.event(Event::Error(failure.into_event(true)));
        }
        output.close_stdin();
        output.finish(run_outcome);
    }

    /// With `--json-schema` the answer is part of the result, not a message.
    fn report_structured_output(&self, result: &ResultLine, output: &mut RunOutput) {
        match &result.structured_output {
            Some(answer) => output.text_delta("structured-output", &answer.to_string()),
            None if self.has_output_schema && !result.is_error => output.event(notice(
                NoticeLevel::Warn,
                "output_schema_unmet",
                "the model returned no answer that matches the output schema",
            )),
            None => {}
        }
    }
}

impl Mapper for Events {
    fn on_line(&mut self, line: &[u8], output: &mut RunOutput) {
        if line.starts_with(STREAM_EVENT_START) && self.on_stream_event(line, output).is_some() {
            return;
        }
        // A line that is not a JSON object with a type is ignored.
        if let Ok(head) = serde_json::from_slice::<Head<'_>>(line) {
            self.session.is_ready = true;
            self.on_typed_line(&head, line, output);
        }
    }

    fn on_input(&mut self, input: UserInput<'_>, output: &mut RunOutput) -> InputOutcome {
        if input.is_for_other_turn(self.session.turns.current()) {
            return InputOutcome::Refused;
        }
        if self.approvals.answer(input.text, output).is_some() {
            return InputOutcome::Steered;
        }
        self.inputs.send(input.text, self.session.turns.count(), output);
        // The model receives a line that arrives while a tool runs together with the tool's result;
        // any other line starts the next turn (recordings `sj_steer`, `sj_queue`).
        match self.tools.is_running() {
            true => InputOutcome::Steered,
            false => InputOutcome::Queued,
        }
    }

    fn on_decision(&mut self, respond_run_params: &RespondRunParams, output: &mut RunOutput) {
        self.approvals.decide(respond_run_params, &mut self.tools, output);
    }

    fn on_cancel(&mut self, output: &mut RunOutput) -> PoliteStop {
        // Only the interrupt request and SIGINT end a running shell command (recording
        // `sigterm_tool`). A CLI that does not read stdin yet gets the signal.
        if self.session.is_ready {
            output.write_json(&control::interrupt());
            PoliteStop::Written
        } else {
            PoliteStop::Interrupt
        }
    }

    fn on_exit(&mut self, exit: &Exit, output: &mut RunOutput) -> Option<RunOutcome> {
        let has_no_pending_input = !self.inputs.has_pending(self.session.turns.count(), output);
        if let Some(TurnOutcome { run_outcome, failure }) =
            self.turn_outcome.take().filter(|_| has_no_pending_input)
        {
            if let Some(failure) = failure {
                output.event(Event::Error(failure.into_event(true)));
            }
            return Some(run_outcome);
        }
        let failure = match self.cli_error.take() {
            Some(cli_error) => Failure::classify(&cli_error, &self.limits),
            None => Failure::from_exit(exit)?,
        };
        output.event(Event::Error(failure.into_event(true)));
        Some(outcome::failed(StopReason::Error, DoneEvidence::ExitCode))
    }
}

fn read<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Option<T> {
    serde_json::from_slice(line).ok()
}

fn status(phase: &str) -> Event {
    Event::Status(Status { phase: phase.to_owned(), detail: None, ttft_ms: None })
}

fn notice(level: NoticeLevel, code: &str, text: impl Into<String>) -> Event {
    Event::Notice(Notice { level, code: code.to_owned(), text: text.into(), hint: None })
}
