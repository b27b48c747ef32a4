//! Maps the lines of the app server to events: one state machine per run. Pure: no clock, no file, no
//! process. This file dispatches; the modules below `events/` map.

mod approvals;
mod connection;
mod failure;
mod files;
mod handshake;
mod input_queue;
pub(crate) mod items;
mod limits;
mod messages;
mod notices;
pub(crate) mod outcome;
mod replies;
mod subagents;
mod tools;
mod usage;

use od_protocol::adapter::{RespondRunParams, StartRunParams};
use od_protocol::{Event, InputOutcome, Plan, PlanEntry, PlanStatus, UserMessage};
use od_sdk::json_rpc::{Incoming, METHOD_NOT_FOUND};
use od_sdk::start_run::AdapterOptions;
use od_sdk::{Exit, Install, Mapper, PoliteStop, RunOutcome, RunOutput, UserInput};
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
use connection::Connection;
pub(crate) use failure::Failure;
use handshake::HandshakeState;
use input_queue::InputQueue;
pub(crate) use limits::{Limits, quota_of};
pub(crate) use messages::Messages;
pub(crate) use notices::notice;
pub(crate) use outcome::TurnOutcome;
use subagents::Subagents;
pub(crate) use tools::Tools;
pub(crate) use usage::UsageTracker;

/// Prefix of text delta lines, which are parsed in one pass.
const TEXT_DELTA_PREFIX: &[u8] = br#"{"method":"item/agentMessage/delta","#;

/// The state of one run.
#[derive(Debug)]
pub struct Events {
    connection: Connection,
    handshake: HandshakeState,
    messages: Messages,
    tools: Tools,
    subagents: Subagents,
    approvals: Approvals,
    input_queue: InputQueue,
    limits: Limits,
    usage: UsageTracker,
    /// The outcome of the last turn, until it is known whether another one follows.
    turn_outcome: Option<TurnOutcome>,
}

impl Events {
    /// Returns the state before the first line.
    pub fn new(start_run_params: &StartRunParams, install: &Install) -> Self {
        let options = Options::lenient(start_run_params);
        Self {
            connection: Connection::new(install),
            handshake: HandshakeState::new(start_run_params, install),
            messages: Messages::default(),
            tools: Tools::default(),
            subagents: Subagents::default(),
            approvals: Approvals::new(install.host_answers_approvals),
            input_queue: InputQueue::default(),
            limits: Limits::new(&options, install.credential.clone()),
            usage: UsageTracker::new(start_run_params.session.mode),
            turn_outcome: None,
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
        let handled = match &scope.thread_id {
            Some(thread) if self.connection.is_subagent_thread(thread) => {
                self.subagents.on_notification(thread, method, params, output)
            }
            _ => self.on_own_thread(method, params, output),
        };
        if handled.is_none() {
            output.unmapped(method, line);
        }
    }

    fn on_request(&mut self, id: &Value, method: &str, params: &RawValue, output: &mut RunOutput) {
        let scope: Scope<'_> = read(params).unwrap_or_default();
        let is_from_subagent =
            scope.thread_id.is_some_and(|thread| self.connection.is_subagent_thread(&thread));
        let request = Request { id, method, params, is_from_subagent };
        if self.approvals.on_request(request, &self.tools, output).is_none() {
            let refusal = format!("this client does not support {method:?}");
            output.write_json(&self.connection.requests.refusal(id, METHOD_NOT_FOUND, &refusal));
        }
    }

    /// Handles a notification about the run's own thread, or about none.
    fn on_own_thread(
        &mut self,
        method: &str,
        params: &RawValue,
        output: &mut RunOutput,
    ) -> Option<()> {
        match method {
            "item/started" => self.on_item_started(read(params)?, output),
            "item/completed" => self.on_item_completed(read(params)?, output),
            "item/agentMessage/delta" | "item/plan/delta" => {
                self.messages.on_delta(&read(params)?, output);
                Some(())
            }
            "item/commandExecution/outputDelta" => {
                self.tools.on_output(&read(params)?, output);
                Some(())
            }
            "turn/started" => read(params).map(|turn: TurnNotification| {
                self.connection.begin_turn(&turn.turn.id, output);
            }),
            "turn/completed" => read(params).map(|turn| self.on_turn_completed(turn, output)),
            "turn/plan/updated" => read(params).map(|plan| on_plan(plan, output)),
            "error" => read(params).map(|error| self.on_error(&error, output)),
            "thread/tokenUsage/updated" => read(params).map(|usage| self.on_usage(&usage, output)),
            "account/rateLimits/updated" => {
                read(params).map(|limits| self.limits.on_rate_limits(&limits, output))
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
            "item/reasoning/summaryTextDelta" => self.messages.on_summary_delta(delta, output),
            "item/reasoning/textDelta" => self.messages.on_raw_delta(delta, output),
            "item/reasoning/summaryPartAdded" => self.messages.on_summary_part(delta, output),
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
            "agentMessage" | "plan" => self.messages.on_message_started(&item.id, output),
            "reasoning" => self.messages.on_thought_started(&item.id, output),
            "contextCompaction" => output.event(notices::status("compacting", None)),
            kind if items::is_ignored(kind) => {}
            kind if items::is_tool(kind) => self.tools.on_started(&item, output),
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
            "agentMessage" | "plan" => self.messages.on_message(&item.id, &item.text, output),
            "reasoning" => self.messages.on_thought(&item, output),
            "userMessage" => self.on_user_message(&item, output),
            "contextCompaction" => self.usage.on_compaction(output),
            kind if items::is_ignored(kind) => {}
            kind if items::is_tool(kind) => {
                self.tools.on_completed(&item, output);
                self.subagents.on_call(&item, output);
            }
            _ => return None,
        }
        Some(())
    }

    /// The first user message is the prompt; the others are input.
    fn on_user_message(&mut self, item: &Item, output: &mut RunOutput) {
        if self.input_queue.is_first_message() {
            return;
        }
        let texts = item.content.iter().filter_map(|part| part.get("text")?.as_str());
        let text = texts.collect::<Vec<_>>().join("\n");
        output.event(Event::UserMessage(UserMessage { text }));
    }

    fn on_usage(&mut self, notification: &TokenUsageNotification, output: &mut RunOutput) {
        if self.connection.turn() == Some(notification.turn_id.as_str()) {
            // The response is complete: a retry does not repeat it.
            self.messages.on_response_complete();
            self.limits.on_response();
            self.usage.on_usage(&notification.token_usage, output);
        }
    }

    fn on_error(&mut self, notification: &ErrorNotification, output: &mut RunOutput) {
        // `turn/completed` repeats the last error.
        if !notification.will_retry {
            return;
        }
        self.messages.discard_response(output);
        if let Some(failure) = self.limits.on_retry(&notification.error, output) {
            output.event(Event::Error(failure.into_event(true)));
            self.interrupt(output);
            output.finish(outcome::STOPPED_BY_ADAPTER);
        }
    }

    fn on_turn_completed(&mut self, notification: TurnNotification, output: &mut RunOutput) {
        let turn = notification.turn;
        let turn_outcome = TurnOutcome::of_turn(&turn, &mut self.limits, output);
        self.usage.on_turn_end(output);
        self.connection.end_turn(turn_outcome.run_outcome.stop_reason, output);
        self.turn_outcome = Some(turn_outcome);
        self.start_next_turn_or_finish(output);
    }

    /// After a turn: starts another one for queued input, or finishes the run.
    fn start_next_turn_or_finish(&mut self, output: &mut RunOutput) {
        let is_steering = self.connection.requests.is_pending(|it| matches!(it, Purpose::Steer(_)));
        if self.turn_outcome.is_none() || (is_steering && !output.is_cancelling()) {
            return;
        }
        match self.input_queue.next().filter(|_| !output.is_cancelling()) {
            Some(text) => {
                if let Some(failure) =
                    self.turn_outcome.take().and_then(|turn_outcome| turn_outcome.failure)
                {
                    output.event(Event::Error(failure.into_event(false)));
                }
                self.connection.start_turn(output, |requests, thread| {
                    requests::text_turn(requests, thread, &text)
                });
            }
            None => {
                if let Some(turn_outcome) = self.turn_outcome.take() {
                    turn_outcome.finish(output);
                }
            }
        }
    }
}

impl Mapper for Events {
    fn on_line(&mut self, line: &[u8], output: &mut RunOutput) {
        if line.starts_with(TEXT_DELTA_PREFIX)
            && let Ok(DeltaLine { params }) = serde_json::from_slice(line)
            && !self.connection.is_subagent_thread(&params.thread_id)
        {
            return self.messages.on_delta(&params, output);
        }
        // A line that is not a message is noise.
        match Incoming::read(line) {
            None => {}
            Some(Incoming::Notification { method, params }) => {
                self.on_notification(&method, params, line, output);
            }
            Some(Incoming::Request { id, method, params }) => {
                self.on_request(&id, &method, params, output);
            }
            Some(Incoming::Reply { id, outcome }) => {
                if let Some(purpose) = id.and_then(|id| self.connection.requests.take(id)) {
                    self.on_reply(purpose, outcome, output);
                }
            }
        }
    }

    fn on_input(&mut self, input: UserInput<'_>, output: &mut RunOutput) -> InputOutcome {
        if input.is_for_other_turn(self.connection.turn()) {
            return InputOutcome::Refused;
        }
        if self.approvals.answer_input(input.text, output).is_some() {
            return InputOutcome::Steered;
        }
        match (self.connection.thread.clone(), self.connection.turn.clone()) {
            (Some(thread), Some(turn)) => {
                let message =
                    requests::steer(&mut self.connection.requests, &thread, &turn, input.text);
                output.write_json(&message);
                InputOutcome::Steered
            }
            _ => {
                self.input_queue.queue(input.text);
                InputOutcome::Queued
            }
        }
    }

    fn on_decision(&mut self, respond_run_params: &RespondRunParams, output: &mut RunOutput) {
        self.approvals.decide(respond_run_params, output);
    }

    fn on_cancel(&mut self, output: &mut RunOutput) -> PoliteStop {
        if self.connection.turn.is_some() {
            self.interrupt(output);
            return PoliteStop::Written;
        }
        match self.connection.requests.is_pending(|purpose| *purpose == Purpose::Turn) {
            // The turn is interrupted as soon as its id is known.
            true => PoliteStop::Written,
            false => PoliteStop::Terminate,
        }
    }

    fn on_exit(&mut self, exit: &Exit, output: &mut RunOutput) -> Option<RunOutcome> {
        if let Some(TurnOutcome { run_outcome, failure }) = self.turn_outcome.take() {
            if let Some(failure) = failure {
                output.event(Event::Error(failure.into_event(true)));
            }
            return Some(run_outcome);
        }
        outcome::of_exit(exit, output)
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

/// Parses parameters; `None` if they do not have this form.
fn read<'a, T: Deserialize<'a>>(params: &'a RawValue) -> Option<T> {
    serde_json::from_str(params.get()).ok()
}
