//! Applies the rules of an event stream for every adapter: adds missing starts, drops duplicates and
//! events without a start, gives a repeated id a number, closes what is open at the end.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use od_protocol::{
    ApprovalOutcome, ApprovalRequested, ApprovalResolved, ApprovalResolver, DoneStatus, ErrorKind,
    Event, MessageDiscarded, MessageStarted, MessageStopped, SubagentStopped, TextDelta,
    ThinkingDelta, ThinkingStarted, ThinkingStopped, ToolCallReady, ToolKind, ToolResult,
    ToolStatus, Totals, TurnEnded, Unmapped, Usage, UsageScope,
};

use super::open_items::{OpenApproval, OpenMessage, ToolCall};
use crate::{RunOutcome, event};

/// What is written for an event: first the repairs, then the event itself unless it is dropped.
pub(super) struct Admission {
    pub(super) repairs: Vec<Event>,
    pub(super) event: Option<Event>,
}

#[derive(Debug, Default)]
pub(super) struct Guard {
    session_id: Option<String>,
    turn: Option<String>,
    message: Option<OpenMessage>,
    thinking: Option<String>,
    /// Bytes of text per closed message; `None` for a discarded one.
    text_bytes: HashMap<String, Option<u64>>,
    /// Every thinking block that is closed.
    closed_thinking: HashSet<String>,
    /// The current ids of messages and thinking blocks whose own id was already used and closed.
    renamed: HashMap<String, String>,
    /// Every tool call of the run.
    tools: HashMap<String, ToolCall>,
    approvals: BTreeMap<String, OpenApproval>,
    resolved_approvals: HashSet<String>,
    subagents: BTreeMap<String, SubagentStopped>,
    files: HashSet<String>,
    run_usage: Option<Usage>,
    unmapped: BTreeMap<String, Unmapped>,
    fatal: Option<ErrorKind>,
    is_done: bool,
}

impl Guard {
    pub(super) fn is_done(&self) -> bool {
        self.is_done
    }

    pub(super) fn fatal_error(&self) -> Option<&ErrorKind> {
        self.fatal.as_ref()
    }

    pub(super) fn session_id(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    pub(super) fn open_approvals(&self) -> impl Iterator<Item = &OpenApproval> {
        self.approvals.values()
    }

    /// Whether the input of a tool call is still being written.
    pub(super) fn is_tool_input_open(&self, tool_call_id: &str) -> bool {
        !self.is_done && self.tools.get(tool_call_id) == Some(&ToolCall::Started)
    }

    /// Returns the id under which a block is emitted, if it is not its own. An id whose block is
    /// closed gets a number: ids are unique within a run.
    pub(super) fn renamed_message(&mut self, message_id: &str) -> Option<String> {
        if self.is_open_message(message_id) {
            return None;
        }
        let is_closed = |id: &str, guard: &Self| guard.text_bytes.contains_key(id);
        self.unused_id(message_id, is_closed)
    }

    /// The same for a thinking block.
    pub(super) fn renamed_thinking(&mut self, thinking_id: &str) -> Option<String> {
        if self.thinking.as_deref() == Some(thinking_id) {
            return None;
        }
        let is_closed = |id: &str, guard: &Self| guard.closed_thinking.contains(id);
        self.unused_id(thinking_id, is_closed)
    }

    fn unused_id(&mut self, own: &str, is_closed: fn(&str, &Self) -> bool) -> Option<String> {
        let current = self.renamed.get(own).map_or(own, String::as_str);
        if !is_closed(current, self) {
            return (current != own).then(|| current.to_owned());
        }
        let unused = (2..).map(|n| format!("{own}-{n}")).find(|id| !is_closed(id, self))?;
        self.renamed.insert(own.to_owned(), unused.clone());
        Some(unused)
    }

    /// Admits a text delta on the fast path; returns the events that are missing before it.
    pub(super) fn admit_text(&mut self, message_id: &str, bytes: usize) -> Vec<Event> {
        let mut repairs = Vec::new();
        if self.start_message(message_id, &mut repairs) {
            let message_id = message_id.to_owned();
            repairs.push(Event::MessageStarted(MessageStarted { message_id }));
        }
        if let Some(open) = &mut self.message {
            open.text_bytes += bytes as u64;
        }
        repairs
    }

    /// Admits a thinking delta on the fast path; returns the events that are missing before it.
    pub(super) fn admit_thinking(&mut self, thinking_id: &str) -> Vec<Event> {
        let mut repairs = Vec::new();
        if self.start_thinking(thinking_id, &mut repairs) {
            let thinking_id = thinking_id.to_owned();
            repairs.push(Event::ThinkingStarted(ThinkingStarted { thinking_id }));
        }
        repairs
    }

    /// Counts an unmapped native event; returns it if it is the first of its type.
    pub(super) fn count_unmapped(&mut self, unmapped: Unmapped) -> Option<Unmapped> {
        match self.unmapped.get_mut(&unmapped.native_type) {
            Some(known) => {
                known.count += unmapped.count;
                None
            }
            None => {
                self.unmapped.insert(unmapped.native_type.clone(), unmapped.clone());
                Some(unmapped)
            }
        }
    }

    /// Gives an event of a block the id under which the block is emitted.
    fn rename(&mut self, event: &mut Event) {
        match event {
            Event::MessageStarted(MessageStarted { message_id })
            | Event::TextDelta(TextDelta { message_id, .. }) => {
                if let Some(id) = self.renamed_message(message_id) {
                    *message_id = id;
                }
            }
            Event::ThinkingStarted(ThinkingStarted { thinking_id })
            | Event::ThinkingDelta(ThinkingDelta { thinking_id, .. }) => {
                if let Some(id) = self.renamed_thinking(thinking_id) {
                    *thinking_id = id;
                }
            }
            Event::MessageStopped(MessageStopped { message_id: id })
            | Event::MessageDiscarded(MessageDiscarded { message_id: id })
            | Event::ThinkingStopped(ThinkingStopped { thinking_id: id }) => {
                if let Some(current) = self.renamed.get(id) {
                    id.clone_from(current);
                }
            }
            _ => {}
        }
    }

    /// Admits any event.
    pub(super) fn admit(&mut self, mut event: Event) -> Admission {
        if self.is_done {
            tracing::debug!(r#type = event.type_name(), "event after done dropped");
            return Admission { repairs: Vec::new(), event: None };
        }
        self.rename(&mut event);
        let mut repairs = Vec::new();
        let keep = match &event {
            Event::SessionStarted(session) => {
                self.session_id.replace(session.session_id.clone()).as_ref()
                    != Some(&session.session_id)
            }
            Event::TurnStarted(turn) => {
                self.turn = Some(turn.turn_id.clone());
                true
            }
            Event::TurnEnded(turn) => self.turn.take_if(|open| *open == turn.turn_id).is_some(),
            Event::MessageStarted(started) => self.start_message(&started.message_id, &mut repairs),
            Event::TextDelta(delta) => {
                repairs = self.admit_text(&delta.message_id, delta.text.len());
                true
            }
            Event::MessageStopped(stopped) => {
                self.is_open_message(&stopped.message_id) && self.stop_message().is_some()
            }
            Event::MessageDiscarded(discarded) => {
                if self.is_open_message(&discarded.message_id) {
                    self.stop_message();
                }
                let bytes = self.text_bytes.get_mut(&discarded.message_id);
                bytes.is_some_and(|bytes| bytes.take().is_some())
            }
            Event::ThinkingStarted(started) => {
                self.start_thinking(&started.thinking_id, &mut repairs)
            }
            Event::ThinkingDelta(delta) => {
                repairs = self.admit_thinking(&delta.thinking_id);
                true
            }
            Event::ThinkingStopped(stopped) => {
                self.thinking.as_deref() == Some(&stopped.thinking_id)
                    && self.stop_thinking().is_some()
            }
            _ => self.admit_action(&event, &mut repairs),
        };
        Admission { repairs, event: keep.then_some(event) }
    }

    /// Admits tool calls, approvals, file changes, subagents, usage and errors.
    fn admit_action(&mut self, event: &Event, repairs: &mut Vec<Event>) -> bool {
        match event {
            // A second start of the same call is dropped: it must not reopen a closed call.
            Event::ToolCallStarted(call) => match self.tools.entry(call.tool_call_id.clone()) {
                Entry::Vacant(entry) => {
                    entry.insert(ToolCall::Started);
                    true
                }
                Entry::Occupied(_) => false,
            },
            Event::ToolInputDelta(delta) => self.is_tool_input_open(&delta.tool_call_id),
            Event::ToolCallReady(ready) => {
                let state = self.tool_call(&ready.tool_call_id, repairs);
                self.tools.insert(ready.tool_call_id.clone(), state.max_ready());
                state == ToolCall::Started
            }
            Event::ToolOutputDelta(delta) => self.ready_tool_call(&delta.tool_call_id, repairs),
            Event::ToolResult(result) => self.close_tool_call(result, repairs),
            Event::FileChange(change) => {
                self.files.insert(change.path.clone());
                true
            }
            Event::ApprovalRequested(approval) => self.open_approval(approval),
            Event::ApprovalResolved(resolved) => {
                self.resolved_approvals.insert(resolved.approval_id.clone());
                self.approvals.remove(&resolved.approval_id).is_some()
            }
            Event::SubagentStarted(started) => {
                let stopped = SubagentStopped {
                    subagent_id: started.subagent_id.clone(),
                    title: started.title.clone(),
                    parent_tool_call_id: started.parent_tool_call_id.clone(),
                    status: Some(ToolStatus::Unknown),
                    summary: None,
                };
                self.subagents.insert(started.subagent_id.clone(), stopped).is_none()
            }
            Event::SubagentStopped(stopped) => {
                self.subagents.remove(&stopped.subagent_id).is_some()
            }
            // The usage of the run is emitted once, at the end.
            Event::Usage(usage) if usage.scope == UsageScope::Run => {
                self.run_usage = Some(usage.clone());
                false
            }
            Event::Error(error) if error.fatal => {
                let first = self.fatal.is_none();
                self.fatal.get_or_insert_with(|| error.kind.clone());
                first
            }
            _ => true,
        }
    }

    /// Admits a result; the input of a call that was executed comes before it.
    fn close_tool_call(&mut self, result: &ToolResult, repairs: &mut Vec<Event>) -> bool {
        let is_open = match matches!(result.status, ToolStatus::Ok | ToolStatus::Error) {
            true => self.ready_tool_call(&result.tool_call_id, repairs),
            false => self.tool_call(&result.tool_call_id, repairs) != ToolCall::Closed,
        };
        self.tools.insert(result.tool_call_id.clone(), ToolCall::Closed);
        is_open
    }

    fn open_approval(&mut self, approval: &ApprovalRequested) -> bool {
        let id = approval.approval_id.clone();
        let open = OpenApproval::new(approval);
        !self.resolved_approvals.contains(&id) && self.approvals.insert(id, open).is_none()
    }

    fn start_message(&mut self, message_id: &str, repairs: &mut Vec<Event>) -> bool {
        if self.is_open_message(message_id) {
            return false;
        }
        repairs.extend(self.stop_message());
        self.message = Some(OpenMessage { id: message_id.to_owned(), text_bytes: 0 });
        true
    }

    fn is_open_message(&self, message_id: &str) -> bool {
        self.message.as_ref().is_some_and(|open| open.id == message_id)
    }

    fn start_thinking(&mut self, thinking_id: &str, repairs: &mut Vec<Event>) -> bool {
        if self.thinking.as_deref() == Some(thinking_id) {
            return false;
        }
        repairs.extend(self.stop_thinking());
        self.thinking = Some(thinking_id.to_owned());
        true
    }

    fn stop_message(&mut self) -> Option<Event> {
        let OpenMessage { id: message_id, text_bytes } = self.message.take()?;
        self.text_bytes.insert(message_id.clone(), Some(text_bytes));
        Some(Event::MessageStopped(MessageStopped { message_id }))
    }

    fn stop_thinking(&mut self) -> Option<Event> {
        let thinking_id = self.thinking.take()?;
        self.closed_thinking.insert(thinking_id.clone());
        Some(Event::ThinkingStopped(ThinkingStopped { thinking_id }))
    }

    /// Returns the state of a tool call; an unknown call is started first.
    fn tool_call(&mut self, tool_call_id: &str, repairs: &mut Vec<Event>) -> ToolCall {
        if let Some(state) = self.tools.get(tool_call_id) {
            return *state;
        }
        self.tools.insert(tool_call_id.to_owned(), ToolCall::Started);
        let started = event::tool_call_started(tool_call_id, "unknown", ToolKind::Other);
        repairs.push(Event::ToolCallStarted(started));
        ToolCall::Started
    }

    /// Admits an event that needs the input of its call; a missing input is reported as null.
    fn ready_tool_call(&mut self, tool_call_id: &str, repairs: &mut Vec<Event>) -> bool {
        let state = self.tool_call(tool_call_id, repairs);
        if state == ToolCall::Started {
            self.tools.insert(tool_call_id.to_owned(), ToolCall::Ready);
            repairs.push(Event::ToolCallReady(ToolCallReady {
                tool_call_id: tool_call_id.to_owned(),
                input: serde_json::Value::Null,
                title: None,
                truncated: None,
            }));
        }
        state != ToolCall::Closed
    }

    /// Returns the events that close what is open, and those that are emitted once at the end.
    pub(super) fn close(&mut self, outcome: &RunOutcome) -> Vec<Event> {
        let mut events = Vec::new();
        events.extend(self.stop_thinking());
        events.extend(self.stop_message());
        for approval_id in std::mem::take(&mut self.approvals).into_keys() {
            events.push(Event::ApprovalResolved(ApprovalResolved {
                approval_id,
                outcome: ApprovalOutcome::RejectOnce,
                by: ApprovalResolver::Cancel,
            }));
        }
        let status = match outcome.status {
            DoneStatus::Cancelled => ToolStatus::Cancelled,
            _ => ToolStatus::Unknown,
        };
        let mut open: Vec<String> = self
            .tools
            .iter()
            .filter(|(_, state)| **state != ToolCall::Closed)
            .map(|(id, _)| id.clone())
            .collect();
        open.sort();
        for tool_call_id in open {
            self.tools.insert(tool_call_id.clone(), ToolCall::Closed);
            let result = event::tool_result(tool_call_id, status, serde_json::Value::Null);
            events.push(Event::ToolResult(result));
        }
        events
            .extend(std::mem::take(&mut self.subagents).into_values().map(Event::SubagentStopped));
        if let Some(turn_id) = self.turn.take() {
            events.push(Event::TurnEnded(TurnEnded { turn_id, stop_reason: outcome.stop_reason }));
        }
        let repeated = self.unmapped.values().filter(|unmapped| unmapped.count > 1);
        events.extend(repeated.cloned().map(Event::Unmapped));
        events.extend(self.run_usage.clone().map(Event::Usage));
        self.is_done = true;
        events
    }

    /// Returns the totals of the run. Call it after [`Self::close`].
    pub(super) fn totals(&self) -> Totals {
        Totals {
            text_bytes: self.text_bytes.values().flatten().sum(),
            tool_calls: self.tools.len() as u64,
            files_changed: self.files.len() as u64,
            cost_usd: self.run_usage.as_ref().and_then(|usage| usage.cost_usd),
            usage: self.run_usage.clone(),
        }
    }
}
