//! Maps the CLI's lines to protocol events: one state machine per run. Pure: no clock, no file, no
//! process. This file dispatches by line type; the modules below `events/` do the mapping.

mod failure;
mod messages;
pub(crate) mod tools;
mod turns;
mod usage;

use std::time::Duration;

use od_protocol::adapter::{RespondRunParams, StartRunParams};
use od_protocol::{DoneEvidence, Event, InputOutcome, RateLimited, StopReason};
use od_sdk::start_run::AdapterOptions;
use od_sdk::stream_json::{
    Approvals, AssistantLine, Block, ControlRequest, ControlRequestLine, Head, Init, Question,
    STREAM_EVENT_START, StreamLine, UserLine, blocks, control,
};
use od_sdk::{Exit, Mapper, PoliteStop, RunOutcome, RunOutput, UserInput, approval, event};
use serde::Deserialize;

use crate::invocation::user_line;
use crate::native::ResultLine;
use crate::options::Options;
use failure::Failure;
use messages::Messages;
use tools::Tools;
use turns::Turns;
use usage::UsageTracker;

/// The state of one run.
#[derive(Debug)]
pub struct Events {
    turns: Turns,
    messages: Messages,
    tools: Tools,
    approvals: Approvals,
    usage: UsageTracker,
    max_silence: Option<Duration>,
    /// The CLI has printed a line, so it also reads stdin.
    is_ready: bool,
}

impl Events {
    /// Creates the state before the first line.
    pub fn new(start_run_params: &StartRunParams) -> Self {
        let options = Options::lenient(start_run_params);
        Self {
            turns: Turns::new(&start_run_params.session),
            messages: Messages::default(),
            tools: Tools::default(),
            approvals: Approvals::default(),
            usage: UsageTracker::new(start_run_params.session.mode),
            max_silence: options.max_silence(),
            is_ready: false,
        }
    }

    fn on_typed_line(&mut self, head: &Head<'_>, line: &[u8], output: &mut RunOutput) {
        let mapped = match &*head.kind {
            "stream_event" => self.on_stream_event(line, output),
            "assistant" => read(line).map(|line| self.on_assistant(line, output)),
            "user" => read(line).map(|line| self.on_user(line, output)),
            "system" => self.on_system(head.subtype.as_deref().unwrap_or_default(), line, output),
            "result" => read(line).map(|line| self.on_result(&line, output)),
            "control_request" => read(line).map(|line| self.on_control_request(line, output)),
            "control_cancel_request" => read(line)
                .map(|line: ControlRequestLine| self.approvals.withdraw(&line.request_id, output)),
            "control_response" => Some(()),
            _ => None,
        };
        if mapped.is_none() {
            output.unmapped(&head.native_type(), line);
        }
        self.watch_silence(output);
    }

    fn on_stream_event(&mut self, line: &[u8], output: &mut RunOutput) -> Option<()> {
        let stream_line: StreamLine<'_> = serde_json::from_slice(line).ok()?;
        // The output of a subagent is summarised, not forwarded.
        if stream_line.parent_tool_use_id.is_some() {
            return Some(());
        }
        self.messages.on_stream(stream_line, &mut self.tools, output)
    }

    fn on_system(&mut self, subtype: &str, line: &[u8], output: &mut RunOutput) -> Option<()> {
        match subtype {
            "init" => {
                let init: Init = read(line)?;
                self.usage.model.clone_from(&init.model);
                self.turns.on_init(init, output);
            }
            // The tool calls that start tasks report the same.
            "task_started" | "task_notification" | "session_start" | "session_end" => {}
            _ => return None,
        }
        Some(())
    }

    fn on_assistant(&mut self, line: AssistantLine, output: &mut RunOutput) {
        if line.parent_tool_use_id.is_some() {
            return;
        }
        self.turns.ensure(output);
        self.usage.on_message(line.message.usage.as_ref());
        self.messages.start_complete(&line.message, output);
        for block in blocks(line.message.content) {
            match block.kind.as_str() {
                "text" => self.messages.on_complete_text(&block.text, output),
                "thinking" => self.messages.on_complete_thought(&block.thinking, output),
                "tool_use" => self.tools.on_ready(&block, output),
                kind => output.unmapped(&format!("assistant/{kind}"), kind.as_bytes()),
            }
        }
    }

    fn on_user(&mut self, line: UserLine, output: &mut RunOutput) {
        if line.parent_tool_use_id.is_some() {
            return;
        }
        let is_result = |block: &Block| block.kind == "tool_result";
        for block in blocks(line.message.content).into_iter().filter(is_result) {
            self.tools.on_result(&block, output);
        }
    }

    fn on_control_request(&mut self, line: ControlRequestLine, output: &mut RunOutput) {
        match line.request.subtype.as_str() {
            "can_use_tool" => {
                let question = approval_question(&line.request);
                self.approvals.ask(line, question, output);
            }
            subtype => output.write_json(&control::refuse(&line.request_id, subtype)),
        }
    }

    /// The end of a turn. Qwen Code reports success even when the model could not be reached; the
    /// error is then in the message text (recordings `auth`, `ctx`, `drop`, `err500`).
    fn on_result(&mut self, result: &ResultLine, output: &mut RunOutput) {
        self.turns.ensure(output);
        let error_text = self.messages.end(output);
        self.usage.on_result(result, output);
        let failure = match error_text {
            Some(text) => Some(Failure::classify(&text)),
            None if result.is_error => Some(Failure::of_result(result)),
            None => None,
        };
        let stop_reason = if failure.is_some() { StopReason::Error } else { StopReason::EndTurn };
        self.turns.end(stop_reason, output);
        let has_queued_input = self.turns.has_queued_input();
        if let Some(failure) = &failure {
            output.event(Event::Error(failure.event(!has_queued_input)));
        }
        if has_queued_input {
            return;
        }
        output.close_stdin();
        output.finish(match failure {
            Some(_) => failed(DoneEvidence::NativeResult),
            None => RunOutcome::COMPLETED,
        });
    }

    /// Limits the silence of the model only: a tool or an approval may take any time.
    fn watch_silence(&self, output: &mut RunOutput) {
        let is_busy = self.tools.is_running() || self.approvals.has_pending();
        output.limit_silence(self.max_silence.filter(|_| !is_busy && self.turns.is_open()));
    }
}

impl Mapper for Events {
    fn on_line(&mut self, line: &[u8], output: &mut RunOutput) {
        if line.starts_with(STREAM_EVENT_START) && self.on_stream_event(line, output).is_some() {
            return;
        }
        // A line that is not a JSON object with a type is ignored.
        if let Ok(head) = serde_json::from_slice::<Head<'_>>(line) {
            self.is_ready = true;
            self.on_typed_line(&head, line, output);
        }
    }

    fn on_silence(&mut self, output: &mut RunOutput) {
        let source = "silence".to_owned();
        output.event(Event::RateLimited(RateLimited { source, ..event::rate_limited(None) }));
        let silence_ms = self.max_silence.unwrap_or_default().as_millis();
        output.write_json(&control::interrupt());
        output.event(Event::Error(Failure::silence(silence_ms).event(true)));
        output.finish(failed(DoneEvidence::Watchdog));
    }

    fn on_input(&mut self, input: UserInput<'_>, output: &mut RunOutput) -> InputOutcome {
        if input.is_for_other_turn(self.turns.current()) {
            return InputOutcome::Refused;
        }
        output.write_json(&user_line(input.text));
        self.turns.queue_input(input.text);
        InputOutcome::Queued
    }

    fn on_decision(&mut self, respond_run_params: &RespondRunParams, output: &mut RunOutput) {
        if let Some(call_id) = self.approvals.decide(respond_run_params, output) {
            self.tools.mark_denied(&call_id);
        }
    }

    fn on_cancel(&mut self, output: &mut RunOutput) -> PoliteStop {
        // The request ends the process with code 130 and without a result (recording
        // `bidi-stream-json`). A CLI that does not read stdin yet gets a signal.
        if self.is_ready {
            output.write_json(&control::interrupt());
            PoliteStop::Written
        } else {
            PoliteStop::Interrupt
        }
    }

    fn on_exit(&mut self, exit: &Exit, output: &mut RunOutput) -> Option<RunOutcome> {
        let failure = match self.messages.end(output) {
            Some(text) => Failure::classify(&text),
            None => Failure::from_exit(exit)?,
        };
        output.event(Event::Error(failure.event(true)));
        Some(failed(DoneEvidence::ExitCode))
    }
}

fn approval_question(request: &ControlRequest) -> Question {
    let (category, risk) =
        approval::assess_named_risk(&request.tool_name, tools::kind(&request.tool_name));
    let title = tools::title(&request.tool_name, &request.input);
    let summary = approval::summary(category, title.as_deref(), &request.tool_name);
    // The CLI's suggestions are button labels, not permission rules.
    Question { category, risk, summary, rules: Vec::new() }
}

fn failed(evidence: DoneEvidence) -> RunOutcome {
    RunOutcome { evidence, ..RunOutcome::FAILED }
}

fn read<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Option<T> {
    serde_json::from_slice(line).ok()
}
