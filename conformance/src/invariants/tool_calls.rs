//! The tool calls of one run: each has an id of its own, gets its input once and one result.

use std::collections::BTreeMap;

use serde_json::Value;

use super::violation::{Violation, text};

/// The rule of calls and results.
const CALLS: &str = "ORD-05";
/// The rule of calls without a result.
const OPEN_CALLS: &str = "ORD-07";
/// The rule of the order within a call, and of ids that refer to a call.
const ORDER: &str = "ORD-10";

/// The tool calls of one run.
#[derive(Debug, Default)]
pub(super) struct ToolCalls {
    calls: BTreeMap<String, Call>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Call {
    is_ready: bool,
    is_ended: bool,
}

impl ToolCalls {
    /// Processes an event; other events are ignored.
    pub(super) fn event(&mut self, name: &str, event: &Value) -> Vec<Violation> {
        let id = text(event, "toolCallId");
        match name {
            "tool_call_started" => {
                let mut found = self.unknown_reference(name, event, "parentToolCallId");
                found.extend(self.started(id));
                found
            }
            "tool_input_delta" | "tool_call_ready" | "tool_output_delta" => {
                self.inside(name, &id).into_iter().collect()
            }
            "tool_result" => self.ended(&id, event).into_iter().collect(),
            "file_change" => self.unknown_reference(name, event, "toolCallId"),
            "subagent_started" | "subagent_stopped" => {
                self.unknown_reference(name, event, "parentToolCallId")
            }
            _ => Vec::new(),
        }
    }

    /// Processes `done`: no call may be open.
    pub(super) fn done(&self) -> Option<Violation> {
        let open = self.calls.iter().filter(|(_, call)| !call.is_ended);
        let open: Vec<&String> = open.map(|(id, _)| id).collect();
        if open.is_empty() {
            return None;
        }
        let got = format!("open at `done`: {open:?}");
        Some(Violation::new(OPEN_CALLS, "every tool call closed before `done`", got))
    }

    /// Returns the number of calls.
    pub(super) fn count(&self) -> usize {
        self.calls.len()
    }

    fn started(&mut self, id: String) -> Option<Violation> {
        let before = self.calls.insert(id.clone(), Call::default());
        before.map(|_| {
            let got = format!("`tool_call_started` of {id} twice");
            Violation::new(CALLS, "each tool call has an id of its own", got)
        })
    }

    fn inside(&mut self, name: &str, id: &str) -> Option<Violation> {
        let Some(call) = self.calls.get_mut(id).filter(|call| !call.is_ended) else {
            let got = format!("`{name}` of {id}, which is not open");
            return Some(Violation::new(CALLS, "tool events only for an open call", got));
        };
        let was_ready = call.is_ready;
        call.is_ready |= name == "tool_call_ready";
        let is_late = was_ready && name != "tool_output_delta";
        let is_early = !was_ready && name == "tool_output_delta";
        (is_late || is_early).then(|| {
            let order = "input deltas, then one `tool_call_ready`, then output deltas";
            let word = if is_late { "after" } else { "before" };
            Violation::new(ORDER, order, format!("`{name}` of {id} {word} its `tool_call_ready`"))
        })
    }

    fn ended(&mut self, id: &str, event: &Value) -> Option<Violation> {
        let Some(call) = self.calls.get_mut(id).filter(|call| !call.is_ended) else {
            let got = format!("`tool_result` of {id}, which is not open");
            return Some(Violation::new(CALLS, "a result only after its call, and once", got));
        };
        call.is_ended = true;
        let is_early = !call.is_ready && matches!(event["status"].as_str(), Some("ok" | "error"));
        is_early.then(|| {
            let expected = "`tool_call_ready` before the `tool_result` of a call that was executed";
            Violation::new(ORDER, expected, format!("a result of {id} without its input"))
        })
    }

    /// Reports an id that refers to no call of this run.
    fn unknown_reference(&self, name: &str, event: &Value, member: &str) -> Vec<Violation> {
        let unknown = event[member].as_str().filter(|id| !self.calls.contains_key(*id));
        let found = unknown.map(|id| {
            let expected = format!("{member} of `{name}` is the id of a call of this run");
            Violation::new(ORDER, expected, format!("{id:?}, which no call has"))
        });
        found.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(events: &[(&str, &str)], expected: &[&str]) {
        let mut calls = ToolCalls::default();
        let mut found: Vec<&str> = Vec::new();
        for (name, status) in events {
            let event = json!({"toolCallId": "c", "status": status});
            found.extend(calls.event(name, &event).iter().map(|violation| violation.rule));
        }
        found.extend(calls.done().map(|violation| violation.rule));
        assert_eq!(found, expected, "{events:?}");
    }

    #[test]
    fn calls_follow_their_order() {
        let (start, ready) = (("tool_call_started", ""), ("tool_call_ready", ""));
        let (input, output) = (("tool_input_delta", ""), ("tool_output_delta", ""));
        let ok = ("tool_result", "ok");
        check(&[start, input, ready, output, ok], &[]);
        check(&[start, ("tool_result", "unknown")], &[]);
        check(&[start, ok], &[ORDER]);
        check(&[start, ready, ready, ok], &[ORDER]);
        check(&[start, output, ready, input, ok], &[ORDER, ORDER]);
        check(&[start, start, ready, ok], &[CALLS]);
        check(&[start, ready, ok, ok], &[CALLS]);
        check(&[start, ready], &[OPEN_CALLS]);
        check(&[("file_change", "")], &[ORDER]);
    }
}
