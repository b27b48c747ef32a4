//! Builds the spans of a run from its events. Pure: no clock, no file, no network.
//!
//! ```text
//! invoke_agent AGENT              the run
//! ├─ chat MODEL                   a turn of the model
//! ├─ execute_tool shell           a tool call; a subagent's calls are below the call that started it
//! └─ invoke_agent                 a subagent
//! ```
//! A run with several attempts has one `invoke_agent` per attempt below the run's own.

mod attempt;
mod messages;

use std::collections::HashMap;

use od_protocol::{
    Done, Event, SubagentStarted, ToolCallStarted, ToolResult, ToolStatus, UsageScope,
};
use opentelemetry::KeyValue;
use opentelemetry::trace::{SpanId, SpanKind};
use opentelemetry_sdk::trace::SpanData;

use super::attributes;
use super::destination::Content;
use super::span_draft::{self, SpanDraft, number};
use super::trace_context::RunContext;
use crate::journal::RunRecord;
use crate::usage::{self, PriorUsage};
use attempt::Attempt;
use messages::Messages;

/// The limit per run; further spans are counted and dropped.
const MAX_SPANS: usize = 5_000;

const TRACED_EVENTS: &[&str] = &[
    "run_started",
    "session_started",
    "mode_changed",
    "turn_started",
    "turn_ended",
    "usage",
    "tool_call_started",
    "tool_call_ready",
    "tool_result",
    "subagent_started",
    "subagent_stopped",
    "approval_requested",
    "approval_resolved",
    "rate_limited",
    "retry",
    "agent_switched",
    "error",
    "done",
];

/// Identifies an open span by the id that its end event repeats.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Turn(String),
    Tool(String),
    Subagent(String),
}

/// Collects the events of one run in order.
#[derive(Debug)]
pub(super) struct SpanBuilder<'a> {
    record: &'a RunRecord,
    context: RunContext,
    attempts: Vec<Attempt>,
    usage: usage::RunUsage,
    open: HashMap<Key, SpanDraft>,
    /// The turn that a turn's usage belongs to.
    last_turn: Option<Key>,
    closed: Vec<SpanDraft>,
    messages: Messages,
    dropped_spans: u64,
    last_ts: u64,
    done: Option<Done>,
}

impl<'a> SpanBuilder<'a> {
    /// `None` when the client's trace is not sampled.
    pub(super) fn new(record: &'a RunRecord, content: Content) -> Option<Self> {
        let mut context = RunContext::new(&record.run_id, record.traceparent.as_deref())?;
        let first = Attempt::new(context.next_span_id(), &record.agent, record.started_at);
        Some(Self {
            record,
            context,
            attempts: vec![first],
            usage: usage::RunUsage::default(),
            open: HashMap::new(),
            last_turn: None,
            closed: Vec::new(),
            messages: Messages::new(content),
            dropped_spans: 0,
            last_ts: record.started_at,
            done: None,
        })
    }

    /// Whether events of this type are needed; the others are not parsed.
    pub(super) fn wants(&self, type_name: &str) -> bool {
        TRACED_EVENTS.contains(&type_name) || self.messages.wants(type_name)
    }

    /// Adds the next event.
    pub(super) fn push(&mut self, ts: u64, event: Event) {
        self.last_ts = self.last_ts.max(ts);
        self.usage.push(ts, &event);
        match event {
            Event::RunStarted(started) => {
                self.begin_attempt(ts);
                self.attempt().set_start(&started);
            }
            Event::SessionStarted(session) => self.attempt().set_session(session),
            Event::ModeChanged(mode) => self.attempt().set_model(mode.model),
            Event::TurnStarted(turn) => self.open_turn(ts, turn.turn_id),
            Event::TurnEnded(turn) => {
                let reason = turn.stop_reason.as_str();
                self.close(ts, &Key::Turn(turn.turn_id), |draft| draft.set_finish(reason));
            }
            Event::Usage(usage) => {
                self.attempt().set_model(usage.model.clone());
                self.attempt().set_provider(usage.provider.clone());
                if usage.scope == UsageScope::Turn
                    && !usage.cumulative
                    && let Some(turn) = &self.last_turn
                    && let Some(draft) = self.open.get_mut(turn)
                {
                    draft.set_usage(&usage);
                }
            }
            Event::ToolCallStarted(call) => self.open_tool(ts, &call),
            Event::ToolCallReady(ready) => {
                let arguments = self.messages.content().text(|| ready.input.to_string());
                if let (Some(arguments), Some(draft)) =
                    (arguments, self.open.get_mut(&Key::Tool(ready.tool_call_id)))
                {
                    draft.set_text(attributes::TOOL_ARGUMENTS, &arguments);
                }
            }
            Event::ToolResult(result) => self.close_tool(ts, result),
            Event::SubagentStarted(subagent) => self.open_subagent(ts, &subagent),
            Event::SubagentStopped(subagent) => {
                let status = subagent.status;
                let key = Key::Subagent(subagent.subagent_id);
                self.close(ts, &key, |draft| set_status(draft, status.unwrap_or(ToolStatus::Ok)));
            }
            Event::Done(done) => self.set_done(done),
            other => self.add_span_event(ts, other),
        }
    }

    /// Returns all spans, the run's own last. `prior` returns the usage of earlier runs of a session.
    pub(super) fn finish(mut self, prior: &PriorUsage<'_>) -> Vec<SpanData> {
        self.close_all(self.last_ts);
        let scope = span_draft::scope();
        let root = self.root(prior);
        let Self { context, closed, .. } = self;
        closed.into_iter().chain([root]).map(|draft| draft.finish(&context, &scope)).collect()
    }

    fn set_done(&mut self, done: Done) {
        if let Some(usage) = &done.totals.usage {
            self.attempt().set_provider(usage.provider.clone());
        }
        self.done = Some(done);
    }

    fn attempt(&mut self) -> &mut Attempt {
        self.attempts.last_mut().expect("the first attempt exists from the start")
    }

    /// Begins a new attempt at every `run_started` but the first.
    fn begin_attempt(&mut self, ts: u64) {
        if !self.attempt().is_started {
            return;
        }
        // The time in between is spent waiting for a reset or a retry, and belongs to no attempt.
        let ended = self.attempt().abandoned_at.unwrap_or(ts);
        self.close_all(ended);
        let id = self.context.next_span_id();
        let agent = self.attempt().next_agent().to_owned();
        self.attempts.push(Attempt::new(id, &agent, ts));
    }

    fn open_turn(&mut self, ts: u64, turn_id: String) {
        let parent = self.attempt().id;
        let key = Key::Turn(turn_id);
        self.last_turn = Some(key.clone());
        self.open(key, parent, |id| {
            let mut draft = SpanDraft::new(id, "chat", "", ts);
            draft.kind = SpanKind::Client;
            draft
        });
    }

    fn open_tool(&mut self, ts: u64, call: &ToolCallStarted) {
        let parent = self.parent_span(call.parent_tool_call_id.as_deref());
        self.open(Key::Tool(call.tool_call_id.clone()), parent, |id| {
            let mut draft = SpanDraft::new(id, "execute_tool", &call.name, ts);
            draft.set(attributes::TOOL_NAME, call.name.clone());
            draft.set(attributes::TOOL_CALL, call.tool_call_id.clone());
            // A tool of an MCP server runs outside the agent CLI; all others are functions of it.
            let is_extension = call.mcp_server.is_some();
            draft.set(attributes::TOOL_TYPE, if is_extension { "extension" } else { "function" });
            draft.set(attributes::TOOL_KIND, call.kind.as_str());
            draft.set_some(attributes::MCP_SERVER, call.mcp_server.as_deref());
            draft
        });
    }

    fn close_tool(&mut self, ts: u64, result: ToolResult) {
        let output = self.messages.content().text(|| result.output.to_string());
        self.close(ts, &Key::Tool(result.tool_call_id), |draft| {
            draft.set(attributes::TOOL_STATUS, result.status.as_str());
            if let Some(code) = result.exit_code {
                draft.set(attributes::EXIT_CODE, i64::from(code));
            }
            if let Some(output) = output {
                draft.set_text(attributes::TOOL_RESULT, &output);
            }
            set_status(draft, result.status);
        });
    }

    /// The title of a subagent is content, so it is not part of the span's name.
    fn open_subagent(&mut self, ts: u64, subagent: &SubagentStarted) {
        let parent = self.parent_span(subagent.parent_tool_call_id.as_deref());
        let title = self.messages.content().text(|| subagent.title.clone());
        self.open(Key::Subagent(subagent.subagent_id.clone()), parent, |id| {
            let mut draft = SpanDraft::new(id, "invoke_agent", "", ts);
            draft.set(attributes::AGENT_ID, subagent.subagent_id.clone());
            draft.set_some(attributes::AGENT_DESCRIPTION, title.as_deref());
            draft
        });
    }

    /// The span of the open tool call, or the attempt's.
    fn parent_span(&mut self, tool_call: Option<&str>) -> SpanId {
        let call = tool_call.and_then(|id| self.open.get(&Key::Tool(id.to_owned())));
        call.map(|draft| draft.id).unwrap_or_else(|| self.attempt().id)
    }

    fn open(&mut self, key: Key, parent: SpanId, draft: impl FnOnce(SpanId) -> SpanDraft) {
        if self.open.len() + self.closed.len() >= MAX_SPANS {
            self.dropped_spans += 1;
            return;
        }
        let mut draft = draft(self.context.next_span_id());
        draft.parent = Some(parent);
        self.open.insert(key, draft);
    }

    fn close(&mut self, ts: u64, key: &Key, last: impl FnOnce(&mut SpanDraft)) {
        let Some(mut draft) = self.open.remove(key) else { return };
        draft.ended = ts;
        last(&mut draft);
        if matches!(key, Key::Turn(_)) {
            self.attempt().describe_turn(&mut draft);
        }
        self.closed.push(draft);
    }

    /// Closes the spans that an attempt left open at its end.
    fn close_all(&mut self, ts: u64) {
        let keys: Vec<Key> = self.open.keys().cloned().collect();
        for key in keys {
            self.close(ts, &key, |_| {});
        }
        self.last_turn = None;
        self.attempt().ended = ts;
    }

    /// Adds an event without duration to the attempt's span.
    fn add_span_event(&mut self, ts: u64, event: Event) {
        let text = |name: &'static str, value: &str| KeyValue::new(name, value.to_owned());
        let (name, attributes) = match event {
            Event::ApprovalRequested(approval) => {
                ("od.approval_requested", vec![text("od.category", approval.category.as_str())])
            }
            Event::ApprovalResolved(approval) => {
                let outcome = text("od.outcome", approval.outcome.as_str());
                ("od.approval_resolved", vec![outcome, text("od.by", approval.by.as_str())])
            }
            Event::RateLimited(limit) => {
                let resets_at = limit.resets_at.map(|at| KeyValue::new("od.resets_at", number(at)));
                ("od.rate_limited", resets_at.into_iter().collect())
            }
            Event::Retry(retry) => {
                self.attempt().abandoned_at = Some(ts);
                ("od.retry", vec![KeyValue::new("od.attempt", i64::from(retry.attempt))])
            }
            Event::AgentSwitched(switch) => {
                self.attempt().abandoned_at = Some(ts);
                self.attempt().set_agents(&switch);
                ("od.agent_switched", vec![text("od.to_agent", &switch.to_agent)])
            }
            Event::Error(error) => {
                let kind = text(attributes::ERROR_TYPE, error.kind.as_str());
                self.attempt().error = Some(error.kind);
                ("od.error", vec![kind])
            }
            other => return self.messages.push(other),
        };
        self.attempt().add_event(ts, name, attributes);
    }

    /// The run's own span. A run with one attempt has no separate span for it.
    fn root(&mut self, prior: &PriorUsage<'_>) -> SpanDraft {
        let attempts = std::mem::take(&mut self.attempts);
        let count = attempts.len() as u64;
        let error_kind = self.done.as_ref().and_then(|done| done.error_kind.clone());
        let last = attempts.last().expect("the first attempt exists from the start");
        let id = if count == 1 { last.id } else { self.context.next_span_id() };
        let mut root = last.draft(id, self.record);
        let mut used = self.usage.per_attempt(prior).into_iter();
        for (attempt_number, attempt) in (1..).zip(attempts) {
            if count == 1 {
                root.events = attempt.events;
                break;
            }
            // The last attempt ended like the run. All others failed, or there would be no further attempt.
            let is_last = attempt_number == count;
            let failure = if is_last { error_kind.clone() } else { attempt.error.clone() };
            let mut draft = attempt.finish(self.record, failure);
            if let Some(usage) = used.next().flatten() {
                draft.set_usage(&usage);
            }
            draft.parent = Some(id);
            draft.set(attributes::ATTEMPT, number(attempt_number));
            self.closed.push(draft);
        }
        if let Some(kind) = &error_kind {
            root.fail(kind.as_str());
        }
        root.set(attributes::ATTEMPTS, number(count));
        if let Some(usage) = self.usage.total(prior) {
            root.set_usage(&usage);
            if let Some(cost) = usage.cost_usd {
                root.set(attributes::COST, cost);
            }
        }
        self.describe_run(&mut root);
        root
    }

    fn describe_run(&self, root: &mut SpanDraft) {
        root.parent = self.context.parent;
        (root.started, root.ended) = (self.record.started_at, self.last_ts);
        root.set(attributes::RUN, self.record.run_id.clone());
        if self.dropped_spans > 0 {
            root.set(attributes::DROPPED_SPANS, number(self.dropped_spans));
        }
        if let Some(done) = &self.done {
            root.set(attributes::STATUS, done.status.as_str());
            root.set(attributes::EVIDENCE, done.evidence.as_str());
            root.set_finish(done.stop_reason.as_str());
        }
        self.messages.describe(root, &self.record.prompt_preview);
    }
}

fn set_status(draft: &mut SpanDraft, status: ToolStatus) {
    if status != ToolStatus::Ok {
        draft.fail(status.as_str());
    }
}

#[cfg(test)]
mod tests;
