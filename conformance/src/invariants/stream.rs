//! The rules of the event stream of one run.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::run_clock::RunClock;
use super::run_end::{Counted, RunEnd};
use super::text_blocks::TextBlocks;
use super::tool_calls::ToolCalls;
use super::violation::{Violation, text};

/// The state of one run.
#[derive(Debug)]
pub(super) struct Stream {
    next_seq: u64,
    done: bool,
    clock: RunClock,
    messages: TextBlocks,
    thoughts: TextBlocks,
    tool_calls: ToolCalls,
    /// Every approval; `true` if it is resolved.
    approvals: BTreeMap<String, bool>,
    turns: BTreeSet<String>,
    subagents: BTreeSet<String>,
    end: RunEnd,
    violations: Vec<Violation>,
}

impl Default for Stream {
    fn default() -> Self {
        Self {
            next_seq: 0,
            done: false,
            clock: RunClock::default(),
            messages: TextBlocks::messages(),
            thoughts: TextBlocks::thoughts(),
            tool_calls: ToolCalls::default(),
            approvals: BTreeMap::new(),
            turns: BTreeSet::new(),
            subagents: BTreeSet::new(),
            end: RunEnd::default(),
            violations: Vec::new(),
        }
    }
}

impl Stream {
    /// Processes an event and returns the violations.
    pub(super) fn event(&mut self, params: &Value) -> Vec<Violation> {
        let event = &params["event"];
        let name = event["type"].as_str().unwrap_or("?").to_owned();
        self.order(params, &name);
        self.violations.extend(self.clock.event(&name, params));
        self.violations.extend(self.messages.event(&name, event));
        self.violations.extend(self.thoughts.event(&name, event));
        self.violations.extend(self.tool_calls.event(&name, event));
        self.violations.extend(self.end.event(&name, event));
        match name.as_str() {
            "approval_requested" => self.approval_requested(text(event, "approvalId")),
            "approval_resolved" => self.approval_resolved(text(event, "approvalId")),
            "turn_started" | "turn_ended" => self.turn(&name, text(event, "turnId")),
            "subagent_started" | "subagent_stopped" => {
                self.subagent(&name, text(event, "subagentId"));
            }
            "done" => self.finished(event),
            _ => {}
        }
        std::mem::take(&mut self.violations)
    }

    fn order(&mut self, params: &Value, name: &str) {
        if self.done {
            let expected = "exactly one `done`, and nothing after it";
            self.violation("ORD-01", expected, format!("`{name}` after `done`"));
            if name == "usage" {
                self.violation("ORD-08", "usage before `done`", "`usage` after `done`".to_owned());
            }
        }
        let seq = params["seq"].as_u64();
        if seq != Some(self.next_seq) {
            let expected = format!("seq {} on `{name}`: from 0, without gaps", self.next_seq);
            self.violation("ORD-02", expected, format!("seq {}", params["seq"]));
        }
        self.next_seq = seq.map_or(self.next_seq, |seq| seq) + 1;
        if self.next_seq == 1 && name != "run_started" {
            self.violation("ORD-02", "`run_started` as the first event", format!("`{name}` first"));
        }
        if self.next_seq > 1 && name == "run_started" {
            self.violation("ORD-02", "`run_started` once", "a second one".to_owned());
        }
    }

    fn approval_requested(&mut self, id: String) {
        if self.approvals.insert(id.clone(), false).is_some() {
            let got = format!("`approval_requested` of {id} twice");
            self.violation("APR-02", "each approval has an id of its own", got);
        }
    }

    fn approval_resolved(&mut self, id: String) {
        if self.approvals.insert(id.clone(), true) != Some(false) {
            let got = format!("`approval_resolved` of {id}, which is not open");
            self.violation("APR-02", "each approval resolved once", got);
        }
    }

    fn turn(&mut self, name: &str, id: String) {
        let is_right = match name {
            "turn_started" => self.turns.insert(id.clone()),
            _ => self.turns.contains(&id),
        };
        if !is_right {
            let expected = "each turn starts once, and only a turn that started ends";
            self.violation("ORD-10", expected, format!("`{name}` of {id}"));
        }
    }

    fn subagent(&mut self, name: &str, id: String) {
        let is_right = match name {
            "subagent_started" => self.subagents.insert(id.clone()),
            _ => self.subagents.contains(&id),
        };
        if !is_right {
            let expected = "each subagent starts once, and only one that started stops";
            self.violation("ORD-10", expected, format!("`{name}` of {id}"));
        }
    }

    fn finished(&mut self, event: &Value) {
        self.done = true;
        self.violations.extend(self.messages.done());
        self.violations.extend(self.thoughts.done());
        self.violations.extend(self.tool_calls.done());
        if let Some((id, _)) = self.approvals.iter().find(|(_, resolved)| !**resolved) {
            let got = format!("{id} is open at `done`");
            self.violation("APR-02", "every approval resolved before `done`", got);
        }
        let counted =
            Counted { text_bytes: self.messages.bytes(), tool_calls: self.tool_calls.count() };
        self.violations.extend(self.end.done(event, &counted));
    }

    fn violation(&mut self, rule: &'static str, expected: impl Into<String>, got: String) {
        self.violations.push(Violation::new(rule, expected, got));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn mismatches(events: &[Value]) -> Vec<&'static str> {
        let mut stream = Stream::default();
        let violations = events.iter().enumerate().flat_map(|(seq, event)| {
            stream.event(&json!({"runId": "r", "seq": seq, "event": event}))
        });
        violations.map(|violation| violation.rule).collect()
    }

    fn done() -> Value {
        json!({
            "type": "done", "status": "completed", "stopReason": "end_turn",
            "evidence": "native_result", "totals": {"toolCalls": 0},
        })
    }

    #[test]
    fn correct_stream_has_no_violations() {
        let mut done = done();
        done["totals"] = json!({"toolCalls": 1});
        let events = [
            json!({"type": "run_started"}),
            json!({"type": "turn_started", "turnId": "1"}),
            json!({"type": "thinking_started", "thinkingId": "t"}),
            json!({"type": "thinking_stopped", "thinkingId": "t"}),
            json!({"type": "tool_call_started", "toolCallId": "c"}),
            json!({"type": "tool_call_ready", "toolCallId": "c"}),
            json!({"type": "tool_result", "toolCallId": "c"}),
            json!({"type": "turn_ended", "turnId": "1"}),
            json!({"type": "usage", "scope": "run", "inputTokens": 3, "totalTokens": 3}),
            done,
        ];
        assert!(mismatches(&events).is_empty());
    }

    #[test]
    fn each_rule_detects_its_violation() {
        let start = json!({"type": "run_started"});
        let fatal = json!({"type": "error", "fatal": true, "kind": "cli_crashed"});
        let result = json!({"type": "tool_result", "toolCallId": "c"});
        let usage = json!({"type": "usage", "scope": "run"});
        let thought = json!({"type": "thinking_started", "thinkingId": "t"});
        let ask = json!({"type": "approval_requested", "approvalId": "a"});
        let turn = json!({"type": "turn_ended", "turnId": "1"});
        assert_eq!(mismatches(&[done()]), ["ORD-02"]);
        assert_eq!(mismatches(&[start.clone(), start.clone(), done()]), ["ORD-02"]);
        assert_eq!(mismatches(&[start.clone(), done(), done()]), ["ORD-01"]);
        assert_eq!(mismatches(&[start.clone(), thought, done()]), ["ORD-04"]);
        assert_eq!(mismatches(&[start.clone(), result, done()]), ["ORD-05"]);
        assert_eq!(mismatches(&[start.clone(), usage.clone(), usage, done()]), ["ORD-08"]);
        assert_eq!(mismatches(&[start.clone(), fatal, done()]), ["ORD-09"]);
        assert_eq!(mismatches(&[start.clone(), ask, done()]), ["APR-02"]);
        assert_eq!(mismatches(&[start, turn, done()]), ["ORD-10"]);
    }
}
