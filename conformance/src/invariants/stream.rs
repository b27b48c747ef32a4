//! The rules of the event stream of one run.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// A violated rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Violation {
    /// The rule's id.
    pub(super) rule: &'static str,
    /// What it expects.
    pub(super) expected: String,
    /// What was received instead.
    pub(super) got: String,
}

/// The state of one run.
#[derive(Debug, Default)]
pub(super) struct Stream {
    next_seq: u64,
    done: bool,
    open_thoughts: BTreeSet<String>,
    tools: BTreeMap<String, bool>,
    approvals: BTreeMap<String, bool>,
    run_usages: usize,
    fatal_kinds: Vec<String>,
    violations: Vec<Violation>,
}

impl Stream {
    /// Processes an event and returns the violations.
    pub(super) fn event(&mut self, params: &Value) -> Vec<Violation> {
        let event = &params["event"];
        let name = event["type"].as_str().unwrap_or("?").to_owned();
        self.order(params, &name);
        match name.as_str() {
            "thinking_started" => self.thought_started(text(event, "thinkingId")),
            "thinking_delta" => self.thought_delta(&text(event, "thinkingId")),
            "thinking_stopped" => self.thought_stopped(&text(event, "thinkingId")),
            "tool_call_started" => self.tool_started(text(event, "toolCallId")),
            "tool_input_delta" | "tool_call_ready" | "tool_output_delta" => {
                self.tool_event(&name, &text(event, "toolCallId"));
            }
            "tool_result" => self.tool_stopped(text(event, "toolCallId")),
            "approval_requested" => {
                self.approvals.insert(text(event, "approvalId"), false);
            }
            "approval_resolved" => self.approval_resolved(text(event, "approvalId")),
            "usage" => self.usage(event),
            "error" if event["fatal"] == true => self.fatal_kinds.push(text(event, "kind")),
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
    }

    fn thought_started(&mut self, id: String) {
        if !self.open_thoughts.insert(id.clone()) {
            let got = format!("`thinking_started` of {id} twice");
            self.violation("ORD-04", "each thought started once", got);
        }
    }

    fn thought_delta(&mut self, id: &str) {
        if !self.open_thoughts.contains(id) {
            let got = format!("`thinking_delta` of {id}, which is not open");
            self.violation("ORD-04", "deltas only inside an open thought", got);
        }
    }

    fn thought_stopped(&mut self, id: &str) {
        if !self.open_thoughts.remove(id) {
            let got = format!("`thinking_stopped` of {id}, which is not open");
            self.violation("ORD-04", "only an open thought is stopped", got);
        }
    }

    fn tool_started(&mut self, id: String) {
        if self.tools.insert(id.clone(), true).is_some() {
            let got = format!("`tool_call_started` of {id} twice");
            self.violation("ORD-05", "each tool call started once", got);
        }
    }

    fn tool_event(&mut self, name: &str, id: &str) {
        if self.tools.get(id) != Some(&true) {
            let got = format!("`{name}` of {id}, which is not open");
            self.violation("ORD-05", "tool events only for an open call", got);
        }
    }

    fn tool_stopped(&mut self, id: String) {
        if self.tools.insert(id.clone(), false) != Some(true) {
            let got = format!("`tool_result` of {id}, which is not open");
            self.violation("ORD-05", "a result only after its call, and once", got);
        }
    }

    fn approval_resolved(&mut self, id: String) {
        if self.approvals.insert(id.clone(), true) != Some(false) {
            let got = format!("`approval_resolved` of {id}, which is not open");
            self.violation("APR-02", "each approval resolved once", got);
        }
    }

    fn usage(&mut self, event: &Value) {
        if event["scope"] == "run" {
            self.run_usages += 1;
            if self.run_usages == 2 {
                let got = "a second one".to_owned();
                self.violation("ORD-08", "at most one `usage` of scope run", got);
            }
        }
    }

    fn finished(&mut self, event: &Value) {
        self.done = true;
        if let Some(id) = self.open_thoughts.first().cloned() {
            self.violation(
                "ORD-04",
                "every thought stopped before `done`",
                format!("{id} is open"),
            );
        }
        let open: Vec<&String> =
            self.tools.iter().filter(|(_, open)| **open).map(|(id, _)| id).collect();
        if !open.is_empty() {
            let got = format!("open at `done`: {open:?}");
            self.violation("ORD-07", "every tool call closed before `done`", got);
        }
        if let Some((id, _)) = self.approvals.iter().find(|(_, resolved)| !**resolved) {
            let got = format!("{id} is open at `done`");
            self.violation("APR-02", "every approval resolved before `done`", got);
        }
        self.check_final_status(event);
    }

    fn check_final_status(&mut self, event: &Value) {
        let kinds = self.fatal_kinds.clone();
        match event["status"].as_str() {
            Some("completed") if !kinds.is_empty() => {
                let got = format!("`done` completed after a fatal error: {kinds:?}");
                self.violation("ORD-09", "no fatal error before `done` completed", got);
            }
            Some(status @ ("failed" | "timed_out")) => {
                let stated = text(event, "errorKind");
                if stated.is_empty() || !kinds.contains(&stated) {
                    let got = format!("errorKind {stated:?}, fatal errors before: {kinds:?}");
                    let expected = format!(
                        "`done` {status} with an errorKind that a fatal `error` before it has"
                    );
                    self.violation("ORD-09", expected, got);
                }
            }
            _ => {}
        }
    }

    fn violation(&mut self, rule: &'static str, expected: impl Into<String>, got: String) {
        self.violations.push(Violation { rule, expected: expected.into(), got });
    }
}

fn text(event: &Value, name: &str) -> String {
    event[name].as_str().unwrap_or_default().to_owned()
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

    fn done(status: &str) -> Value {
        json!({"type": "done", "status": status})
    }

    #[test]
    fn correct_stream_has_no_violations() {
        let events = [
            json!({"type": "run_started"}),
            json!({"type": "thinking_started", "thinkingId": "t"}),
            json!({"type": "thinking_stopped", "thinkingId": "t"}),
            json!({"type": "tool_call_started", "toolCallId": "c"}),
            json!({"type": "tool_result", "toolCallId": "c"}),
            json!({"type": "usage", "scope": "run"}),
            done("completed"),
        ];
        assert!(mismatches(&events).is_empty());
    }

    #[test]
    fn each_rule_detects_its_violation() {
        let start = json!({"type": "run_started"});
        let fatal = json!({"type": "error", "fatal": true, "kind": "cli_crashed"});
        let result = json!({"type": "tool_result", "toolCallId": "c"});
        let call = json!({"type": "tool_call_started", "toolCallId": "c"});
        let usage = json!({"type": "usage", "scope": "run"});
        let thought = json!({"type": "thinking_started", "thinkingId": "t"});
        assert_eq!(mismatches(&[done("completed")]), ["ORD-02"]);
        assert_eq!(mismatches(&[start.clone(), done("completed"), done("completed")]), ["ORD-01"]);
        assert_eq!(mismatches(&[start.clone(), thought, done("completed")]), ["ORD-04"]);
        assert_eq!(mismatches(&[start.clone(), result, done("completed")]), ["ORD-05"]);
        assert_eq!(mismatches(&[start.clone(), call, done("completed")]), ["ORD-07"]);
        assert_eq!(
            mismatches(&[start.clone(), usage.clone(), usage, done("completed")]),
            ["ORD-08"]
        );
        assert_eq!(mismatches(&[start.clone(), fatal, done("completed")]), ["ORD-09"]);
        assert_eq!(mismatches(&[start, done("failed")]), ["ORD-09"]);
    }
}
