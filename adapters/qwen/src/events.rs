//! The CLI's words → protocol events: one state machine per run. Pure: no clock, no file, no
//! process. This file is the switchboard; each chapter has a room of its own below `events/`.

mod failure;
mod meter;
mod speech;
pub(crate) mod tools;
mod turns;

use std::time::Duration;

use od_protocol::adapter::{RespondRunParams, StartRunParams};
use od_protocol::{ApprovalCategory, DoneEvidence, DoneStatus, Event, InputOutcome, RateLimited, StopReason};
use od_sdk::start_run::AdapterOptions;
use od_sdk::stream_json::{
    Approvals, AssistantLine, Block, ControlRequest, ControlRequestLine, Head, Init, Question,
    STREAM_EVENT_START, StreamLine, UserLine, blocks, control, judge,
};
use od_sdk::{RunOutcome, Exit, Mapper, PoliteStop, RunOutput};
use serde::Deserialize;

use crate::invocation::user_line;
use crate::native::ResultLine;
use crate::options::Options;
use failure::Failure;
use meter::Meter;
use speech::Speech;
use tools::Tools;
use turns::Turns;

/// The state of one run.
#[derive(Debug)]
pub struct Events {
    turns: Turns,
    speech: Speech,
    tools: Tools,
    approvals: Approvals,
    meter: Meter,
    max_silence: Option<Duration>,
    /// The CLI has said something, so it reads what is written to it.
    is_alive: bool,
}

impl Events {
    /// Before the first line.
    pub fn new(start_run_params: &StartRunParams) -> Self {
        let options = Options::lenient(start_run_params);
        Self {
            turns: Turns::new(&start_run_params.session),
            speech: Speech::default(),
            tools: Tools::default(),
            approvals: Approvals::default(),
            meter: Meter::new(start_run_params.session.mode),
            max_silence: options.max_silence(),
            is_alive: false,
        }
    }

    fn on_typed_line(&mut self, head: &Head<'_>, line: &[u8], output: &mut RunOutput) {
        let understood = match &*head.kind {
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
        if understood.is_none() {
            output.unmapped(&head.native_type(), line);
        }
        self.watch_silence(output);
    }

    fn on_stream_event(&mut self, line: &[u8], output: &mut RunOutput) -> Option<()> {
        let stream_line: StreamLine<'_> = serde_json::from_slice(line).ok()?;
        // What a subagent says inside is summarised, not forwarded.
        if stream_line.parent_tool_use_id.is_some() {
            return Some(());
        }
        self.speech.on_stream(stream_line, &mut self.tools, output)
    }

    fn on_system(&mut self, subtype: &str, line: &[u8], output: &mut RunOutput) -> Option<()> {
        match subtype {
            "init" => {
                let init: Init = read(line)?;
                self.meter.model.clone_from(&init.model);
                self.turns.on_init(init, output);
            }
            // Said again by the calls of the tools that start tasks.
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
        self.meter.on_message(line.message.usage.as_ref());
        self.speech.begin_whole(&line.message, output);
        for block in blocks(line.message.content) {
            match block.kind.as_str() {
                "text" => self.speech.on_whole_text(&block.text, output),
                "thinking" => self.speech.on_whole_thought(&block.thinking, output),
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
                let question = question(&line.request);
                self.approvals.ask(line, question, output);
            }
            subtype => output.write_json(&control::refuse(&line.request_id, subtype)),
        }
    }

    /// The end of a turn. Qwen Code calls it a success when the model could not be reached at all:
    /// what it said in the model's place counts (recordings `auth`, `ctx`, `drop`, `err500`).
    fn on_result(&mut self, result: &ResultLine, output: &mut RunOutput) {
        self.turns.ensure(output);
        let complaint = self.speech.end(output);
        self.meter.on_result(result, output);
        let failure = match complaint {
            Some(text) => Some(Failure::classify(&text)),
            None if result.is_error => Some(Failure::of_result(result)),
            None => None,
        };
        let stop_reason = if failure.is_some() { StopReason::Error } else { StopReason::EndTurn };
        self.turns.end(stop_reason, output);
        let goes_on = self.turns.is_outstanding();
        if let Some(failure) = &failure {
            output.event(Event::Error(failure.event(!goes_on)));
        }
        if goes_on {
            return;
        }
        output.close_stdin();
        output.finish(match failure {
            Some(_) => failed(DoneEvidence::NativeResult),
            None => RunOutcome::COMPLETED,
        });
    }

    /// Only the model's silence is suspicious: a tool may take its time.
    fn watch_silence(&self, output: &mut RunOutput) {
        let is_busy = self.tools.is_running() || self.approvals.is_waiting();
        output.limit_silence(self.max_silence.filter(|_| !is_busy && self.turns.is_open()));
    }
}

impl Mapper for Events {
    fn on_line(&mut self, line: &[u8], output: &mut RunOutput) {
        if line.starts_with(STREAM_EVENT_START) && self.on_stream_event(line, output).is_some() {
            return;
        }
        // What is no JSON object with a type is noise.
        if let Ok(head) = serde_json::from_slice::<Head<'_>>(line) {
            self.is_alive = true;
            self.on_typed_line(&head, line, output);
        }
    }

    fn on_silence(&mut self, output: &mut RunOutput) {
        output.event(Event::RateLimited(RateLimited {
            retry_after_ms: None,
            resets_at: None,
            window: None,
            source: "silence".to_owned(),
        }));
        let silence_ms = self.max_silence.unwrap_or_default().as_millis();
        output.write_json(&control::interrupt());
        output.event(Event::Error(Failure::silence(silence_ms).event(true)));
        output.finish(failed(DoneEvidence::Watchdog));
    }

    fn on_input(
        &mut self,
        text: &str,
        expected_turn: Option<&str>,
        output: &mut RunOutput,
    ) -> InputOutcome {
        if expected_turn.is_some_and(|turn| self.turns.current() != Some(turn)) {
            return InputOutcome::Refused;
        }
        output.write_json(&user_line(text));
        self.turns.expect(text);
        InputOutcome::Queued
    }

    fn on_decision(&mut self, respond_run_params: &RespondRunParams, output: &mut RunOutput) {
        if let Some(call_id) = self.approvals.decide(respond_run_params, output) {
            self.tools.mark_denied(&call_id);
        }
    }

    fn on_cancel(&mut self, output: &mut RunOutput) -> PoliteStop {
        // The request ends the process, with 130 and without a result (recording
        // `bidi-stream-json`); it needs a CLI that reads already.
        if self.is_alive {
            output.write_json(&control::interrupt());
            PoliteStop::Written
        } else {
            PoliteStop::Interrupt
        }
    }

    fn on_exit(&mut self, exit: &Exit, output: &mut RunOutput) -> Option<RunOutcome> {
        let failure = match self.speech.end(output) {
            Some(text) => Failure::classify(&text),
            None => Failure::from_exit(exit)?,
        };
        output.event(Event::Error(failure.event(true)));
        Some(failed(DoneEvidence::ExitCode))
    }
}

fn question(request: &ControlRequest) -> Question {
    let (category, risk) = judge(&request.tool_name, tools::kind(&request.tool_name));
    let summary = match (category, tools::title(&request.tool_name, &request.input)) {
        (ApprovalCategory::Execute, Some(command)) => format!("run {command}"),
        (_, Some(title)) => title,
        (_, None) => format!("use {}", request.tool_name),
    };
    // Its suggestions are labels for buttons, not rules.
    Question { category, risk, summary, rules: Vec::new() }
}

fn failed(evidence: DoneEvidence) -> RunOutcome {
    RunOutcome { status: DoneStatus::Failed, stop_reason: StopReason::Error, evidence }
}

fn read<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Option<T> {
    serde_json::from_slice(line).ok()
}
