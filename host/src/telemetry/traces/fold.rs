//! From the events of a run to its spans. Pure: no clock, no file, no network.
//!
//! ```text
//! invoke_agent codex              the run
//! ├─ chat gpt-5                   a turn of the model
//! ├─ execute_tool shell           a tool call; a helper's calls lie below the call that started it
//! └─ invoke_agent                 a helper of the agent
//! ```
//! A run with several attempts has one `invoke_agent` for each below the run's own.

mod attempt;
mod content;

use std::collections::HashMap;

use od_protocol::{
    Done, Event, SubagentStarted, ToolCallStarted, ToolResult, ToolStatus, UsageScope,
};
use opentelemetry::KeyValue;
use opentelemetry::trace::{SpanId, SpanKind};
use opentelemetry_sdk::trace::SpanData;

pub(crate) use content::Content;

use super::context::RunContext;
use super::span::{self, Draft, number};
use super::words;
use crate::journal::RunRecord;
use crate::usage::{self, Past};
use attempt::Attempt;
use content::Messages;

/// Spans of one run; more are counted but left out.
const MOST_SPANS: usize = 5_000;

const WANTED: &[&str] = &[
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

/// What is open, by what its end will be called.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Turn(String),
    Tool(String),
    Subagent(String),
}

/// Takes the events of one run in order.
#[derive(Debug)]
pub(super) struct Fold<'a> {
    record: &'a RunRecord,
    context: RunContext,
    attempts: Vec<Attempt>,
    usage: usage::Fold,
    open: HashMap<Key, Draft>,
    /// The turn that a turn's usage belongs to.
    last_turn: Option<Key>,
    closed: Vec<Draft>,
    messages: Messages,
    left_out: u64,
    last_ts: u64,
    done: Option<Done>,
}

impl<'a> Fold<'a> {
    /// `None` when the caller's trace is not recorded.
    pub(super) fn begin(record: &'a RunRecord, content: Content) -> Option<Self> {
        let mut context = RunContext::new(&record.run_id, record.traceparent.as_deref())?;
        let first = Attempt::new(context.span_id(), &record.agent, record.started_at);
        Some(Self {
            record,
            context,
            attempts: vec![first],
            usage: usage::Fold::default(),
            open: HashMap::new(),
            last_turn: None,
            closed: Vec::new(),
            messages: Messages::new(content),
            left_out: 0,
            last_ts: record.started_at,
            done: None,
        })
    }

    /// Whether events of a type matter; most of a journal does not.
    pub(super) fn wants(&self, type_name: &str) -> bool {
        WANTED.contains(&type_name) || self.messages.wants(type_name)
    }

    /// Takes the next event.
    pub(super) fn take(&mut self, ts: u64, event: Event) {
        self.last_ts = self.last_ts.max(ts);
        self.usage.take(ts, &event);
        match event {
            Event::RunStarted(started) => {
                self.next_attempt(ts);
                self.attempt().started(&started);
            }
            Event::SessionStarted(session) => self.attempt().session(session),
            Event::ModeChanged(mode) => self.attempt().uses_model(mode.model),
            Event::TurnStarted(turn) => self.open_turn(ts, turn.turn_id),
            Event::TurnEnded(turn) => {
                let reason = turn.stop_reason.as_str();
                self.close(ts, &Key::Turn(turn.turn_id), |draft| draft.set_finish(reason));
            }
            Event::Usage(usage) => {
                self.attempt().uses_model(usage.model.clone());
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
                    draft.set_text(words::TOOL_ARGUMENTS, &arguments);
                }
            }
            Event::ToolResult(result) => self.close_tool(ts, result),
            Event::SubagentStarted(subagent) => self.open_subagent(ts, &subagent),
            Event::SubagentStopped(subagent) => {
                let status = subagent.status;
                let key = Key::Subagent(subagent.subagent_id);
                self.close(ts, &key, |draft| judge(draft, status.unwrap_or(ToolStatus::Ok)));
            }
            Event::Done(done) => self.done = Some(done),
            other => self.tell(ts, other),
        }
    }

    /// All spans, the run's own last; `past` is what earlier runs of its sessions had used.
    pub(super) fn finish(mut self, past: &Past<'_>) -> Vec<SpanData> {
        self.close_all(self.last_ts);
        let scope = span::scope();
        let root = self.root(past);
        let Self { context, closed, .. } = self;
        closed.into_iter().chain([root]).map(|draft| draft.finish(&context, &scope)).collect()
    }

    fn attempt(&mut self) -> &mut Attempt {
        self.attempts.last_mut().expect("there is a first attempt from the beginning")
    }

    /// Another `run_started` is another attempt.
    fn next_attempt(&mut self, ts: u64) {
        if !self.attempt().is_started {
            return;
        }
        // What lies between is the wait for a reset or a pause.
        let ended = self.attempt().given_up_at.unwrap_or(ts);
        self.close_all(ended);
        let id = self.context.span_id();
        let agent = self.attempt().successor().to_owned();
        self.attempts.push(Attempt::new(id, &agent, ts));
    }

    fn open_turn(&mut self, ts: u64, turn_id: String) {
        let parent = self.attempt().id;
        let key = Key::Turn(turn_id);
        self.last_turn = Some(key.clone());
        self.open(key, parent, |id| {
            let mut draft = Draft::new(id, "chat", "", ts);
            draft.kind = SpanKind::Client;
            draft
        });
    }

    fn open_tool(&mut self, ts: u64, call: &ToolCallStarted) {
        let parent = self.below(call.parent_tool_call_id.as_deref());
        self.open(Key::Tool(call.tool_call_id.clone()), parent, |id| {
            let mut draft = Draft::new(id, "execute_tool", &call.name, ts);
            draft.set(words::TOOL_NAME, call.name.clone());
            draft.set(words::TOOL_CALL, call.tool_call_id.clone());
            // A tool of an MCP server reaches beyond the agent CLI, the others are its own functions.
            let is_extension = call.mcp_server.is_some();
            draft.set(words::TOOL_TYPE, if is_extension { "extension" } else { "function" });
            draft.set(words::TOOL_KIND, call.kind.as_str());
            draft.set_some(words::MCP_SERVER, call.mcp_server.as_deref());
            draft
        });
    }

    fn close_tool(&mut self, ts: u64, result: ToolResult) {
        let output = self.messages.content().text(|| result.output.to_string());
        self.close(ts, &Key::Tool(result.tool_call_id), |draft| {
            draft.set(words::TOOL_STATUS, result.status.as_str());
            if let Some(code) = result.exit_code {
                draft.set(words::EXIT_CODE, i64::from(code));
            }
            if let Some(output) = output {
                draft.set_text(words::TOOL_RESULT, &output);
            }
            judge(draft, result.status);
        });
    }

    /// What a helper is for is content, so its span has no name of its own.
    fn open_subagent(&mut self, ts: u64, subagent: &SubagentStarted) {
        let parent = self.below(subagent.parent_tool_call_id.as_deref());
        let title = self.messages.content().text(|| subagent.title.clone());
        self.open(Key::Subagent(subagent.subagent_id.clone()), parent, |id| {
            let mut draft = Draft::new(id, "invoke_agent", "", ts);
            draft.set(words::AGENT_ID, subagent.subagent_id.clone());
            draft.set_some(words::AGENT_DESCRIPTION, title.as_deref());
            draft
        });
    }

    /// The span of a call that is open, else the attempt's.
    fn below(&mut self, tool_call: Option<&str>) -> SpanId {
        let call = tool_call.and_then(|id| self.open.get(&Key::Tool(id.to_owned())));
        call.map(|draft| draft.id).unwrap_or_else(|| self.attempt().id)
    }

    fn open(&mut self, key: Key, parent: SpanId, draft: impl FnOnce(SpanId) -> Draft) {
        if self.open.len() + self.closed.len() >= MOST_SPANS {
            self.left_out += 1;
            return;
        }
        let mut draft = draft(self.context.span_id());
        draft.parent = Some(parent);
        self.open.insert(key, draft);
    }

    fn close(&mut self, ts: u64, key: &Key, last: impl FnOnce(&mut Draft)) {
        let Some(mut draft) = self.open.remove(key) else { return };
        draft.ended = ts;
        last(&mut draft);
        if matches!(key, Key::Turn(_)) {
            self.attempt().describe_turn(&mut draft);
        }
        self.closed.push(draft);
    }

    /// What a dead attempt has left open ends with it.
    fn close_all(&mut self, ts: u64) {
        let keys: Vec<Key> = self.open.keys().cloned().collect();
        for key in keys {
            self.close(ts, &key, |_| {});
        }
        self.last_turn = None;
        self.attempt().ended = ts;
    }

    /// What happens in a run without taking time.
    fn tell(&mut self, ts: u64, event: Event) {
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
                self.attempt().given_up_at = Some(ts);
                ("od.retry", vec![KeyValue::new("od.attempt", i64::from(retry.attempt))])
            }
            Event::AgentSwitched(switch) => {
                self.attempt().given_up_at = Some(ts);
                self.attempt().hand_over(&switch);
                ("od.agent_switched", vec![text("od.to_agent", &switch.to_agent)])
            }
            Event::Error(error) => {
                let kind = text(words::ERROR_TYPE, error.kind.as_str());
                self.attempt().error = Some(error.kind);
                ("od.error", vec![kind])
            }
            other => return self.messages.take(other),
        };
        self.attempt().tell(ts, name, attributes);
    }

    /// The run's own span; with one attempt the attempt is the run.
    fn root(&mut self, past: &Past<'_>) -> Draft {
        let attempts = std::mem::take(&mut self.attempts);
        let count = attempts.len() as u64;
        let error_kind = self.done.as_ref().and_then(|done| done.error_kind.clone());
        let last = attempts.last().expect("there is a first attempt from the beginning");
        let id = if count == 1 { last.id } else { self.context.span_id() };
        let mut root = last.draft(id, self.record);
        let mut used = self.usage.each(past).into_iter();
        for (attempt_number, attempt) in (1..).zip(attempts) {
            if count == 1 {
                root.events = attempt.events;
                break;
            }
            // The last one ended as the run did. The others failed: they would be the last else.
            let is_last = attempt_number == count;
            let failure = if is_last { error_kind.clone() } else { attempt.error.clone() };
            let mut draft = attempt.finish(self.record, failure);
            if let Some(usage) = used.next().flatten() {
                draft.set_usage(&usage);
            }
            draft.parent = Some(id);
            draft.set(words::ATTEMPT, number(attempt_number));
            self.closed.push(draft);
        }
        if let Some(kind) = &error_kind {
            root.fail(kind.as_str());
        }
        root.set(words::ATTEMPTS, number(count));
        if let Some(usage) = self.usage.total(past) {
            root.set_usage(&usage);
            if let Some(cost) = usage.cost_usd {
                root.set(words::COST, cost);
            }
        }
        self.describe_run(&mut root);
        root
    }

    fn describe_run(&self, root: &mut Draft) {
        root.parent = self.context.parent;
        (root.started, root.ended) = (self.record.started_at, self.last_ts);
        root.set(words::RUN, self.record.run_id.clone());
        if self.left_out > 0 {
            root.set(words::LEFT_OUT, number(self.left_out));
        }
        if let Some(done) = &self.done {
            root.set(words::STATUS, done.status.as_str());
            root.set(words::EVIDENCE, done.evidence.as_str());
            root.set_finish(done.stop_reason.as_str());
        }
        self.messages.describe(root, &self.record.prompt_preview);
    }
}

fn judge(draft: &mut Draft, status: ToolStatus) {
    if status != ToolStatus::Ok {
        draft.fail(status.as_str());
    }
}

#[cfg(test)]
mod tests;
