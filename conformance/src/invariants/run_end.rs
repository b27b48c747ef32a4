//! What `done` must agree with: the errors, the usage and the totals of the run.

use std::collections::BTreeSet;

use serde_json::Value;

use super::violation::{Violation, text};

/// The rule of fatal errors and the status.
const ERRORS: &str = "ORD-09";
/// The rule of the run's usage.
const RUN_USAGE: &str = "ORD-08";
/// The rule of the sum of tokens.
const TOKEN_SUM: &str = "USE-01";
/// The rule of totals and session.
const TOTALS: &str = "DON-01";
/// The rule of status, stop reason and evidence.
const STATUS: &str = "DON-02";

/// How far two costs may differ: they are decimal numbers of US dollars.
const MAX_COST_DIFFERENCE: f64 = 1e-9;

/// The events of one run that `done` sums up.
#[derive(Debug, Default)]
pub(super) struct RunEnd {
    fatal_kinds: Vec<String>,
    run_usage: Option<Value>,
    paths: BTreeSet<String>,
    session_id: Option<String>,
}

/// What the other rules counted.
pub(super) struct Counted {
    pub(super) text_bytes: usize,
    pub(super) tool_calls: usize,
}

impl RunEnd {
    /// Processes an event; other events are ignored.
    pub(super) fn event(&mut self, name: &str, event: &Value) -> Vec<Violation> {
        match name {
            "error" if event["fatal"] == true => self.fatal_kinds.push(text(event, "kind")),
            "usage" => return self.usage(event),
            "file_change" => {
                self.paths.insert(text(event, "path"));
            }
            "session_started" => self.session_id = Some(text(event, "sessionId")),
            _ => {}
        }
        Vec::new()
    }

    /// Processes `done`.
    pub(super) fn done(&self, done: &Value, counted: &Counted) -> Vec<Violation> {
        let mut found: Vec<Violation> = self.errors(done).into_iter().collect();
        found.extend(status(done));
        if !done["exitCode"].is_null() && !done["signal"].is_null() {
            let got = format!("exitCode {} and signal {}", done["exitCode"], done["signal"]);
            found.push(Violation::new(STATUS, "at most one of exitCode and signal", got));
        }
        found.extend(self.totals(&done["totals"], counted));
        found.extend(self.session(done));
        found
    }

    fn usage(&mut self, event: &Value) -> Vec<Violation> {
        let mut found = Vec::new();
        let count = |name: &str| event[name].as_u64().unwrap_or_default();
        let parts = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"];
        let sum = parts.into_iter().map(count).fold(0, u64::saturating_add);
        if count("totalTokens") != sum {
            let expected = format!("totalTokens {sum}: the sum of input, output and both caches");
            let got = format!("totalTokens {}", event["totalTokens"]);
            found.push(Violation::new(TOKEN_SUM, expected, got));
        }
        if event["scope"] == "run" && self.run_usage.replace(event.clone()).is_some() {
            found.push(Violation::new(
                RUN_USAGE,
                "at most one `usage` of scope run",
                "a second one",
            ));
        }
        found
    }

    fn errors(&self, done: &Value) -> Option<Violation> {
        let kinds = &self.fatal_kinds;
        match done["status"].as_str() {
            Some("completed") if !kinds.is_empty() => {
                let got = format!("`done` completed after a fatal error: {kinds:?}");
                Some(Violation::new(ERRORS, "no fatal error before `done` completed", got))
            }
            Some(status @ ("failed" | "timed_out")) => {
                let stated = text(done, "errorKind");
                if !stated.is_empty() && kinds.contains(&stated) {
                    return None;
                }
                let got = format!("errorKind {stated:?}, fatal errors before: {kinds:?}");
                let expected =
                    format!("`done` {status} with an errorKind that a fatal `error` before it has");
                Some(Violation::new(ERRORS, expected, got))
            }
            _ => None,
        }
    }

    fn totals(&self, totals: &Value, counted: &Counted) -> Vec<Violation> {
        let mut found = Vec::new();
        let numbers = [
            ("textBytes", counted.text_bytes, "bytes in the text deltas"),
            ("toolCalls", counted.tool_calls, "`tool_call_started` events"),
            ("filesChanged", self.paths.len(), "different paths in `file_change` events"),
        ];
        for (name, counted, what) in numbers {
            let stated = totals[name].as_u64().unwrap_or_default();
            if Ok(stated) != u64::try_from(counted) {
                let expected = format!("totals.{name} {counted}: the run had {counted} {what}");
                found.push(Violation::new(TOTALS, expected, format!("{}", totals[name])));
            }
        }
        let run_usage = self.run_usage.as_ref();
        let reported = run_usage.and_then(|usage| usage["costUsd"].as_f64());
        let stated = totals["costUsd"].as_f64();
        let differs = match (reported, stated) {
            (Some(reported), Some(stated)) => (reported - stated).abs() > MAX_COST_DIFFERENCE,
            (reported, stated) => reported.is_some() != stated.is_some(),
        };
        if differs {
            let expected = format!("totals.costUsd {reported:?}, as in `usage` of scope run");
            found.push(Violation::new(TOTALS, expected, format!("{stated:?}")));
        }
        if let (Some(usage), Some(stated)) = (run_usage, totals["usage"].as_object()) {
            let differs = |(name, value): &(&String, &Value)| usage.get(*name) != Some(*value);
            let is_set = |(_, value): &(&String, &Value)| !value.is_null();
            if let Some((name, value)) = stated.iter().filter(is_set).find(differs) {
                let expected = format!("totals.usage.{name} as in `usage` of scope run");
                found.push(Violation::new(TOTALS, expected, format!("{value}")));
            }
        }
        found
    }

    fn session(&self, done: &Value) -> Option<Violation> {
        let stated = done["sessionId"].as_str()?;
        let known = self.session_id.as_deref()?;
        (stated != known).then(|| {
            let expected = format!("sessionId {known:?}, as in `session_started`");
            Violation::new(TOTALS, expected, format!("{stated:?}"))
        })
    }
}

/// Checks the combination of status, stop reason, evidence and error kind.
fn status(done: &Value) -> Option<Violation> {
    let status = done["status"].as_str().unwrap_or_default();
    let stop_reason = done["stopReason"].as_str().unwrap_or_default();
    let evidence = done["evidence"].as_str().unwrap_or_default();
    let error_kind = done["errorKind"].as_str();
    let (is_possible, expected) = match status {
        "completed" => (
            !matches!(stop_reason, "error" | "cancelled")
                && matches!(evidence, "native_result" | "stop_reason")
                && error_kind.is_none(),
            "the stop reason of the model, evidence native_result or stop_reason, no errorKind",
        ),
        "cancelled" => (
            stop_reason == "cancelled" && error_kind.is_none(),
            "stopReason cancelled and no errorKind",
        ),
        "failed" => (
            !matches!(stop_reason, "end_turn" | "cancelled"),
            "a stopReason other than end_turn and cancelled",
        ),
        "timed_out" => (
            matches!(stop_reason, "cancelled" | "error")
                && matches!(evidence, "watchdog" | "signal")
                && error_kind == Some("timeout"),
            "stopReason cancelled or error, evidence watchdog or signal, errorKind timeout",
        ),
        _ => return None,
    };
    (!is_possible).then(|| {
        let got =
            format!("stopReason {stop_reason}, evidence {evidence}, errorKind {error_kind:?}");
        Violation::new(STATUS, format!("`done` {status} with {expected}"), got)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn done(status: &str, stop_reason: &str, evidence: &str) -> Value {
        let error_kind = match status {
            "failed" => json!("cli_crashed"),
            "timed_out" => json!("timeout"),
            _ => Value::Null,
        };
        json!({
            "status": status, "stopReason": stop_reason, "evidence": evidence,
            "errorKind": error_kind,
        })
    }

    #[test]
    fn status_limits_stop_reason_and_evidence() {
        let is_legal =
            |status, reason, evidence| super::status(&done(status, reason, evidence)).is_none();
        assert!(is_legal("completed", "max_tokens", "stop_reason"));
        assert!(!is_legal("completed", "end_turn", "exit_code"));
        assert!(!is_legal("completed", "cancelled", "native_result"));
        assert!(is_legal("cancelled", "cancelled", "signal"));
        assert!(!is_legal("cancelled", "end_turn", "watchdog"));
        assert!(is_legal("failed", "error", "exit_code"));
        assert!(!is_legal("failed", "end_turn", "exit_code"));
        assert!(is_legal("timed_out", "cancelled", "watchdog"));
        assert!(!is_legal("timed_out", "end_turn", "watchdog"));
    }

    #[test]
    fn totals_equal_the_events() {
        let mut end = RunEnd::default();
        let usage = json!({"scope": "run", "inputTokens": 3, "totalTokens": 3, "costUsd": 0.5});
        assert!(end.event("usage", &usage).is_empty());
        end.event("file_change", &json!({"path": "/a"}));
        end.event("file_change", &json!({"path": "/a"}));
        let counted = Counted { text_bytes: 4, tool_calls: 1 };
        let good = json!({"textBytes": 4, "toolCalls": 1, "filesChanged": 1, "costUsd": 0.5});
        assert!(end.totals(&good, &counted).is_empty());
        for (name, wrong) in
            [("textBytes", json!(3)), ("filesChanged", json!(2)), ("costUsd", Value::Null)]
        {
            let mut bad = good.clone();
            bad[name] = wrong;
            assert_eq!(end.totals(&bad, &counted).len(), 1, "{name}");
        }
        let wrong_sum = json!({"scope": "turn", "inputTokens": 3, "totalTokens": 4});
        assert_eq!(end.event("usage", &wrong_sum)[0].rule, TOKEN_SUM);
    }
}
