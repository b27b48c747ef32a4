//! The CLI's words → protocol events: one state machine per run. Pure: no clock, no file, no
//! process. This file is the switchboard; each chapter has a room of its own below `events/`.

mod approvals;
mod failure;
mod files;
mod inputs;
mod limits;
mod meter;
mod outcome;
mod plan;
mod session;
mod speech;
mod subagents;
mod tools;
pub(crate) mod words;

use od_protocol::adapter::{RespondRunParams, StartRunParams};
use od_protocol::{DoneEvidence, Event, Status, StopReason};
use od_protocol::{InputOutcome, Notice, NoticeLevel};
use od_sdk::start_run::AdapterOptions;
use od_sdk::stream_json::{
    AssistantLine, Block, ControlRequestLine, Head, STREAM_EVENT_START, StreamLine, UserLine,
    blocks, control,
};
use od_sdk::{Exit, Install, Mapper, PoliteStop, RunOutcome, RunOutput};
use serde::Deserialize;
use serde_json::Value;

use crate::native::{Init, LifecycleLine, RateLimitLine, ResultLine, SystemLine};
use crate::options::Options;
use approvals::Approvals;
use failure::{CliError, Failure};
use inputs::Inputs;
use limits::Limits;
use meter::Meter;
use plan::TaskList;
use session::Session;
use speech::Speech;
use subagents::Subagents;
use tools::Tools;

/// How a turn ended.
#[derive(Debug)]
struct Verdict {
    ending: RunOutcome,
    failure: Option<Failure>,
}

/// The state of one run.
#[derive(Debug)]
pub struct Events {
    session: Session,
    speech: Speech,
    tools: Tools,
    subagents: Subagents,
    plan: TaskList,
    approvals: Approvals,
    inputs: Inputs,
    limits: Limits,
    meter: Meter,
    /// What the CLI said in the model's place, until the result judges it.
    cli_error: Option<CliError>,
    /// The verdict of the last turn, until it is known whether another one follows.
    verdict: Option<Verdict>,
    wants_schema: bool,
}

impl Events {
    /// Before the first line. `new_id` makes the ids of input lines.
    pub fn new(
        start_run_params: &StartRunParams,
        install: &Install,
        new_id: fn() -> String,
    ) -> Self {
        let options = Options::lenient(start_run_params);
        Self {
            session: Session::new(&start_run_params.session),
            speech: Speech::default(),
            tools: Tools::default(),
            subagents: Subagents::default(),
            plan: TaskList::default(),
            approvals: Approvals::default(),
            inputs: Inputs::new(new_id),
            limits: Limits::new(&options, install.credential.clone()),
            meter: Meter::default(),
            cli_error: None,
            verdict: None,
            wants_schema: start_run_params.output_schema.is_some(),
        }
    }

    fn on_typed_line(&mut self, head: &Head<'_>, line: &[u8], output: &mut RunOutput) {
        let understood = match &*head.kind {
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
            // Replies to our own requests, and with --replay-user-messages the echo of our answers.
            "control_response" | "keep_alive" => Some(()),
            "command_lifecycle" => read(line).map(|line| self.on_lifecycle(&line, output)),
            "tool_progress" => {
                output.event(status("tool_running"));
                Some(())
            }
            _ => None,
        };
        if understood.is_none() {
            output.unmapped(&head.native_type(), line);
        }
    }

    fn on_stream_event(&mut self, line: &[u8], output: &mut RunOutput) -> Option<()> {
        let stream_line: StreamLine<'_> = serde_json::from_slice(line).ok()?;
        // What a subagent says inside is summarised, not forwarded.
        if stream_line.parent_tool_use_id.is_some() {
            return Some(());
        }
        self.session.turns.ensure(output);
        self.speech.on_stream(stream_line, &mut self.tools, &mut self.meter, output)
    }

    fn on_assistant(&mut self, line: AssistantLine, output: &mut RunOutput) {
        if let Some(parent) = &line.parent_tool_use_id {
            return self.subagents.on_inner(parent, &line.message.content);
        }
        self.session.turns.ensure(output);
        if let Some(error) = line.error {
            self.cli_error = Some(CliError::from_message(&error, line.message));
            return;
        }
        self.limits.on_answer();
        self.speech.begin_whole(&line.message.id, &mut self.tools, output);
        self.meter.on_message(line.message.usage.as_ref());
        let streamed = self.speech.was_streamed(&line.message.id);
        for block in blocks(line.message.content) {
            match block.kind.as_str() {
                "text" if !streamed => output.text_delta(&line.message.id, &block.text),
                "thinking" if !streamed => self.speech.on_whole_thought(&block.thinking, output),
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
        // The account belongs to the only result of its line.
        let report = if results.len() == 1 { line.tool_use_result } else { Value::Null };
        for block in results {
            self.tools.on_result(&block, &report, output);
            self.plan.on_result(&block.tool_use_id, &report, output);
            self.subagents.on_call_result(&block.tool_use_id, &report, output);
        }
    }

    /// Newer versions say of each line when it is queued, started and completed.
    fn on_lifecycle(&mut self, line: &LifecycleLine, output: &mut RunOutput) {
        if line.state == "started" {
            self.inputs.on_echo(Some(&line.command_uuid), output);
        }
    }

    fn on_system(&mut self, subtype: &str, line: &[u8], output: &mut RunOutput) -> Option<()> {
        if subtype == "init" {
            let init: Init = read(line)?;
            self.pass_verdict(output);
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
            // Said again elsewhere: progress of thoughts, tasks and hooks, and a refusal that the
            // result repeats.
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
        self.speech.end(output);
        self.meter.on_result(result, output);
        let failure = outcome::failure(result, self.cli_error.take(), &self.limits);
        let ending = outcome::ending(result, failure.as_ref(), output.is_cancelling());
        self.session.turns.end(ending.stop_reason, output);
        self.report_answer(result, output);
        self.pass_verdict(output);
        let is_error = result.is_error;
        self.verdict = Some(Verdict { ending, failure });
        let goes_on = self.inputs.is_outstanding(self.session.turns.count(), output)
            || self.session.reports_state
            || (!is_error && self.subagents.is_working());
        if !goes_on || output.is_cancelling() {
            self.conclude(output);
        }
    }

    /// `idle` comes once nothing waits any more: no line of ours, no helper in the background
    /// (recordings `sj_state_queue`, `sj_state_background_agent`).
    fn on_state(&mut self, state: &str, output: &mut RunOutput) {
        self.session.reports_state = true;
        if state == "idle" && !self.inputs.is_outstanding(self.session.turns.count(), output) {
            self.conclude(output);
        }
    }

    /// Another turn follows: the failure of the last one was not the run's.
    fn pass_verdict(&mut self, output: &mut RunOutput) {
        if let Some(failure) = self.verdict.take().and_then(|verdict| verdict.failure) {
            output.event(Event::Error(failure.into_event(false)));
        }
    }

    /// No other turn follows.
    fn conclude(&mut self, output: &mut RunOutput) {
        let Some(Verdict { ending, failure }) = self.verdict.take() else { return };
        if let Some(failure) = failure {
            output.event(Event::Error(failure.into_event(true)));
        }
        output.close_stdin();
        output.finish(ending);
    }

    /// The answer that `--json-schema` asked for comes with the result, not as a message.
    fn report_answer(&self, result: &ResultLine, output: &mut RunOutput) {
        match &result.structured_output {
            Some(answer) => output.text_delta("structured-output", &answer.to_string()),
            None if self.wants_schema && !result.is_error => output.event(notice(
                NoticeLevel::Warn,
                "output_schema_unmet",
                "the model gave no answer that fits the output schema",
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
        // What is no JSON object with a type is noise.
        if let Ok(head) = serde_json::from_slice::<Head<'_>>(line) {
            self.session.is_alive = true;
            self.on_typed_line(&head, line, output);
        }
    }

    fn on_input(
        &mut self,
        text: &str,
        expected_turn: Option<&str>,
        output: &mut RunOutput,
    ) -> InputOutcome {
        if expected_turn.is_some_and(|turn| self.session.turns.current() != Some(turn)) {
            return InputOutcome::Refused;
        }
        if self.approvals.answer(text, output).is_some() {
            return InputOutcome::Steered;
        }
        self.inputs.send(text, self.session.turns.count(), output);
        // A line that arrives while a tool runs is shown to the model with the tool's result;
        // otherwise it is the next turn (recordings `sj_steer` and `sj_queue`).
        match self.tools.is_running() {
            true => InputOutcome::Steered,
            false => InputOutcome::Queued,
        }
    }

    fn on_decision(&mut self, respond_run_params: &RespondRunParams, output: &mut RunOutput) {
        self.approvals.decide(respond_run_params, &mut self.tools, output);
    }

    fn on_cancel(&mut self, output: &mut RunOutput) -> PoliteStop {
        // Only the interrupt request and SIGINT end a running shell command; the request needs a
        // CLI that reads already.
        if self.session.is_alive {
            output.write_json(&control::interrupt());
            PoliteStop::Written
        } else {
            PoliteStop::Interrupt
        }
    }

    fn on_exit(&mut self, exit: &Exit, output: &mut RunOutput) -> Option<RunOutcome> {
        let is_answered = !self.inputs.is_outstanding(self.session.turns.count(), output);
        if let Some(Verdict { ending, failure }) = self.verdict.take().filter(|_| is_answered) {
            if let Some(failure) = failure {
                output.event(Event::Error(failure.into_event(true)));
            }
            return Some(ending);
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
