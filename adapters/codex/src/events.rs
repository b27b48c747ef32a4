//! The app server's words → protocol events: one state machine per run. Pure: no clock, no file, no
//! process. This file is the switchboard; each chapter has a room of its own below `events/`.

mod approvals;
mod failure;
mod files;
mod inputs;
mod limits;
mod meter;
mod notices;
mod opening;
mod replies;
mod speech;
mod subagents;
mod talk;
mod tools;
pub(crate) mod verdict;
pub(crate) mod words;

use od_protocol::UserMessage;
use od_protocol::adapter::{RespondRunParams, StartRunParams};
use od_protocol::{Event, InputOutcome, Plan, PlanEntry, PlanStatus};
use od_sdk::json_rpc::{Incoming, METHOD_NOT_FOUND};
use od_sdk::start_run::AdapterOptions;
use od_sdk::{Exit, Install, Mapper, PoliteStop, RunOutcome, RunOutput};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::native::{
    Delta, DeltaLine, ErrorNotification, Item, ItemNotification, PlanNotification, Scope,
    TokenUsageNotification, TurnNotification,
};
use crate::options::Options;
use crate::requests::{self, Purpose};
use approvals::{Approvals, Request};
pub(crate) use failure::Failure;
use inputs::Inputs;
pub(crate) use limits::{Limits, windows};
pub(crate) use meter::Meter;
pub(crate) use notices::notice;
use opening::OpeningSteps;
pub(crate) use speech::Speech;
use subagents::Subagents;
use talk::Talk;
pub(crate) use tools::Tools;
pub(crate) use verdict::Verdict;

/// Lines that carry a piece of a message start like this; they are read in one pass.
const MESSAGE_DELTA_START: &[u8] = br#"{"method":"item/agentMessage/delta","#;

/// The state of one run.
#[derive(Debug)]
pub struct Events {
    talk: Talk,
    opening: OpeningSteps,
    speech: Speech,
    tools: Tools,
    subagents: Subagents,
    approvals: Approvals,
    inputs: Inputs,
    limits: Limits,
    meter: Meter,
    /// The verdict on the last turn, until it is known whether another one follows.
    verdict: Option<Verdict>,
}

impl Events {
    /// Before the first line.
    pub fn new(start_run_params: &StartRunParams, install: &Install) -> Self {
        let options = Options::lenient(start_run_params);
        Self {
            talk: Talk::new(install),
            opening: OpeningSteps::new(start_run_params, install),
            speech: Speech::default(),
            tools: Tools::default(),
            subagents: Subagents::default(),
            approvals: Approvals::new(install.host_answers_approvals),
            inputs: Inputs::default(),
            limits: Limits::new(&options, install.credential.clone()),
            meter: Meter::new(start_run_params.session.mode),
            verdict: None,
        }
    }

    fn on_notification(
        &mut self,
        method: &str,
        params: &RawValue,
        line: &[u8],
        output: &mut RunOutput,
    ) {
        let scope: Scope<'_> = read(params).unwrap_or_default();
        let understood = match &scope.thread_id {
            Some(thread) if self.talk.is_other_thread(thread) => {
                self.subagents.on_inner(thread, method, params, output)
            }
            _ => self.on_own(method, params, output),
        };
        if understood.is_none() {
            output.unmapped(method, line);
        }
    }

    fn on_request(&mut self, id: &Value, method: &str, params: &RawValue, output: &mut RunOutput) {
        let scope: Scope<'_> = read(params).unwrap_or_default();
        let is_foreign = scope.thread_id.is_some_and(|thread| self.talk.is_other_thread(&thread));
        let request = Request { id, method, params, is_foreign };
        if self.approvals.ask(request, &self.tools, output).is_none() {
            let refusal = format!("this client does not answer {method:?}");
            output.write_json(&self.talk.requests.refusal(id, METHOD_NOT_FOUND, &refusal));
        }
    }

    /// What is told of our own thread, or of none.
    fn on_own(&mut self, method: &str, params: &RawValue, output: &mut RunOutput) -> Option<()> {
        match method {
            "item/started" => self.on_item_started(read(params)?, output),
            "item/completed" => self.on_item_completed(read(params)?, output),
            "item/agentMessage/delta" | "item/plan/delta" => {
                self.speech.on_delta(&read(params)?, output);
                Some(())
            }
            "item/commandExecution/outputDelta" => {
                self.tools.on_output(&read(params)?, output);
                Some(())
            }
            "turn/started" => read(params).map(|turn: TurnNotification| {
                self.talk.begin_turn(&turn.turn.id, output);
            }),
            "turn/completed" => read(params).map(|turn| self.on_turn_completed(turn, output)),
            "turn/plan/updated" => read(params).map(|plan| on_plan(plan, output)),
            "error" => read(params).map(|error| self.on_error(&error, output)),
            "thread/tokenUsage/updated" => read(params).map(|usage| self.on_usage(&usage, output)),
            "account/rateLimits/updated" => {
                read(params).map(|limits| self.limits.on_windows(&limits, output))
            }
            "serverRequest/resolved" => {
                read(params).map(|resolved| self.approvals.withdraw(&resolved, output))
            }
            reasoning if reasoning.starts_with("item/reasoning/") => {
                self.on_reasoning(reasoning, &read(params)?, output)
            }
            other => notices::on_notification(other, params, output),
        }
    }

    fn on_reasoning(
        &mut self,
        method: &str,
        delta: &Delta<'_>,
        output: &mut RunOutput,
    ) -> Option<()> {
        match method {
            "item/reasoning/summaryTextDelta" => self.speech.on_summary_delta(delta, output),
            "item/reasoning/textDelta" => self.speech.on_raw_delta(delta, output),
            "item/reasoning/summaryPartAdded" => self.speech.on_summary_part(delta, output),
            _ => return None,
        }
        Some(())
    }

    fn on_item_started(
        &mut self,
        notification: ItemNotification,
        output: &mut RunOutput,
    ) -> Option<()> {
        let item = notification.item;
        match item.kind.as_str() {
            "agentMessage" | "plan" => self.speech.on_message_started(&item.id, output),
            "reasoning" => self.speech.on_thought_started(&item.id, output),
            "contextCompaction" => output.event(notices::status("compacting", None)),
            kind if words::is_silent(kind) => {}
            kind if words::is_tool(kind) => self.tools.on_started(&item, output),
            _ => return None,
        }
        Some(())
    }

    fn on_item_completed(
        &mut self,
        notification: ItemNotification,
        output: &mut RunOutput,
    ) -> Option<()> {
        let item = notification.item;
        match item.kind.as_str() {
            "agentMessage" | "plan" => self.speech.on_message(&item.id, &item.text, output),
            "reasoning" => self.speech.on_thought(&item, output),
            "userMessage" => self.on_user_message(&item, output),
            "contextCompaction" => self.meter.on_compaction(output),
            kind if words::is_silent(kind) => {}
            kind if words::is_tool(kind) => {
                self.tools.on_completed(&item, output);
                self.subagents.on_call(&item, output);
            }
            _ => return None,
        }
        Some(())
    }

    /// The first is the prompt; what follows was said while the run went on.
    fn on_user_message(&mut self, item: &Item, output: &mut RunOutput) {
        if self.inputs.is_prompt() {
            return;
        }
        let texts = item.content.iter().filter_map(|piece| piece.get("text")?.as_str());
        let text = texts.collect::<Vec<_>>().join("\n");
        output.event(Event::UserMessage(UserMessage { text }));
    }

    fn on_usage(&mut self, notification: &TokenUsageNotification, output: &mut RunOutput) {
        if self.talk.turn() == Some(notification.turn_id.as_str()) {
            // The model has said all of this answer: nothing of it is repeated any more.
            self.speech.on_answer_complete();
            self.limits.on_answer();
            self.meter.on_usage(&notification.token_usage, output);
        }
    }

    fn on_error(&mut self, notification: &ErrorNotification, output: &mut RunOutput) {
        // The last one is repeated with the turn's end.
        if !notification.will_retry {
            return;
        }
        self.speech.discard_answer(output);
        if let Some(failure) = self.limits.on_retry(&notification.error, output) {
            output.event(Event::Error(failure.into_event(true)));
            self.interrupt(output);
            output.finish(verdict::GIVEN_UP);
        }
    }

    fn on_turn_completed(&mut self, notification: TurnNotification, output: &mut RunOutput) {
        let turn = notification.turn;
        let verdict = Verdict::of_turn(&turn, &mut self.limits, output);
        self.meter.on_turn_end(output);
        self.talk.end_turn(verdict.ending.stop_reason, output);
        self.verdict = Some(verdict);
        self.go_on_or_conclude(output);
    }

    /// After a turn: another one for what was said meanwhile, or the end.
    fn go_on_or_conclude(&mut self, output: &mut RunOutput) {
        let is_steering = self.talk.requests.is_waiting(|it| matches!(it, Purpose::Steer(_)));
        if self.verdict.is_none() || (is_steering && !output.is_cancelling()) {
            return;
        }
        match self.inputs.next().filter(|_| !output.is_cancelling()) {
            Some(text) => {
                if let Some(failure) = self.verdict.take().and_then(|verdict| verdict.failure) {
                    output.event(Event::Error(failure.into_event(false)));
                }
                self.talk.start_turn(output, |requests, thread| {
                    requests::turn_of(requests, thread, &text)
                });
            }
            None => {
                if let Some(verdict) = self.verdict.take() {
                    verdict.conclude(output);
                }
            }
        }
    }
}

impl Mapper for Events {
    fn on_line(&mut self, line: &[u8], output: &mut RunOutput) {
        if line.starts_with(MESSAGE_DELTA_START)
            && let Ok(DeltaLine { params }) = serde_json::from_slice(line)
            && !self.talk.is_other_thread(&params.thread_id)
        {
            return self.speech.on_delta(&params, output);
        }
        // What is no message is noise.
        match Incoming::read(line) {
            None => {}
            Some(Incoming::Notification { method, params }) => {
                self.on_notification(&method, params, line, output);
            }
            Some(Incoming::Request { id, method, params }) => {
                self.on_request(&id, &method, params, output);
            }
            Some(Incoming::Reply { id, outcome }) => {
                if let Some(purpose) = id.and_then(|id| self.talk.requests.answered(id)) {
                    self.on_reply(purpose, outcome, output);
                }
            }
        }
    }

    fn on_input(
        &mut self,
        text: &str,
        expected_turn: Option<&str>,
        output: &mut RunOutput,
    ) -> InputOutcome {
        if expected_turn.is_some() && expected_turn != self.talk.turn() {
            return InputOutcome::Refused;
        }
        if self.approvals.answer(text, output).is_some() {
            return InputOutcome::Steered;
        }
        match (self.talk.thread.clone(), self.talk.turn.clone()) {
            (Some(thread), Some(turn)) => {
                let message = requests::steer(&mut self.talk.requests, &thread, &turn, text);
                output.write_json(&message);
                InputOutcome::Steered
            }
            _ => {
                self.inputs.queue(text);
                InputOutcome::Queued
            }
        }
    }

    fn on_decision(&mut self, respond_run_params: &RespondRunParams, output: &mut RunOutput) {
        self.approvals.decide(respond_run_params, output);
    }

    fn on_cancel(&mut self, output: &mut RunOutput) -> PoliteStop {
        if self.talk.turn.is_some() {
            self.interrupt(output);
            return PoliteStop::Written;
        }
        match self.talk.requests.is_waiting(|purpose| *purpose == Purpose::Turn) {
            // It is interrupted as soon as its name is known.
            true => PoliteStop::Written,
            false => PoliteStop::Terminate,
        }
    }

    fn on_exit(&mut self, exit: &Exit, output: &mut RunOutput) -> Option<RunOutcome> {
        if let Some(Verdict { ending, failure }) = self.verdict.take() {
            if let Some(failure) = failure {
                output.event(Event::Error(failure.into_event(true)));
            }
            return Some(ending);
        }
        verdict::of_exit(exit, output)
    }
}

fn on_plan(notification: PlanNotification, output: &mut RunOutput) {
    let entries = notification.plan.into_iter().map(|step| PlanEntry {
        content: step.step,
        status: match step.status.as_str() {
            "inProgress" => PlanStatus::InProgress,
            status => PlanStatus::from_wire(status),
        },
    });
    output.event(Event::Plan(Plan { entries: entries.collect() }));
}

/// Parameters as far as they are used; `None` when they are not of that form.
fn read<'a, T: Deserialize<'a>>(params: &'a RawValue) -> Option<T> {
    serde_json::from_str(params.get()).ok()
}
