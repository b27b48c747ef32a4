//! Checks every line of one adapter process.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use super::stream::Stream;
use super::{Label, Violations};
use crate::outcome::{Failure, shorten};
use crate::schema::Schema;
use crate::transcript::Location;

/// One JSON object in valid UTF-8 per line.
const LINES: &str = "ENC-05";
/// Every message matches the schema.
const SCHEMA: &str = "SCH-01";
/// One `done`, and no event after it.
const DONE: &str = "ORD-01";
/// No event for a run that was not started.
const UNKNOWN_RUN: &str = "ORD-03";

/// Checks every line of one adapter process.
pub struct InvariantChecker {
    /// The violations of all processes.
    pub violations: Violations,
    schema: Arc<Schema>,
    /// The violations of this process only.
    own: Violations,
    label: Label,
    runs: HashMap<String, Stream>,
}

impl InvariantChecker {
    /// Creates a checker.
    pub fn new(schema: Arc<Schema>, violations: Violations, label: Label) -> Self {
        Self { schema, violations, own: Violations::default(), label, runs: HashMap::new() }
    }

    /// Returns the rules that this process has violated, each with its first violation.
    pub fn broken_rules(&self) -> Vec<(&'static str, Failure)> {
        self.own.all()
    }

    /// Registers a run that is being started.
    pub fn open_run(&mut self, run_id: &str) {
        self.runs.entry(run_id.to_owned()).or_default();
    }

    /// Records that a run was refused: no event may arrive for it.
    pub fn refuse_run(&mut self, run_id: &str) {
        self.runs.remove(run_id);
    }

    /// Reports that the agent CLI of a run has ended without a `done`.
    pub fn missing_done(&self, summary: &str, location: &Location) {
        self.violations.record_missing_done();
        let expected = "exactly one `done` as the last event of the run";
        self.broken(DONE, expected, format!("no `done`; the events were: {summary}"), location);
    }

    /// Parses a line; `None` if it is not a JSON object.
    pub fn line(&self, bytes: &[u8], location: &Location) -> Option<Value> {
        let expected = "one JSON object in valid UTF-8 per line";
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                self.broken(LINES, expected, format!("invalid UTF-8: {error}"), location);
                return None;
            }
        };
        match serde_json::from_str::<Value>(text) {
            Ok(value) if value.is_object() => Some(value),
            Ok(_) => {
                self.broken(
                    LINES,
                    expected,
                    format!("JSON that is not an object: {}", shorten(text, 200)),
                    location,
                );
                None
            }
            Err(error) => {
                let got = format!("a line that is not JSON ({error}): {}", shorten(text, 200));
                self.broken(LINES, expected, got, location);
                None
            }
        }
    }

    /// Reports a line beyond the limit of the protocol.
    pub fn oversized(&self, bytes: usize, location: &Location) {
        let expected =
            "lines of at most 16 MiB, larger payloads truncated and marked with `truncated`";
        self.broken(LINES, expected, format!("a line of {bytes} bytes"), location);
    }

    /// Reports output that ends inside a line, which only a killed process may do.
    pub fn unterminated(&self, bytes: &[u8], location: &Location) {
        let text = String::from_utf8_lossy(bytes);
        let got = format!("output that ends inside a line: {}", shorten(&text, 200));
        self.broken(LINES, "every line ends with a line feed", got, location);
    }

    /// Checks a response to a request of the suite.
    pub fn answer(&self, method: &str, message: &Value, location: &Location) {
        if let Err(reason) = self.schema.check_answer(method, message) {
            let expected = format!("a response to {method} that matches the schema");
            self.broken(SCHEMA, expected, reason, location);
        }
    }

    /// Checks a message that is neither an event nor a response.
    pub fn other(&self, message: &Value, location: &Location) {
        if let Err(reason) = self.schema.check_other(message) {
            self.broken(SCHEMA, "a message of the protocol", reason, location);
        }
    }

    /// Checks the parameters of a `run/event`.
    pub fn event(&mut self, params: &Value, location: &Location) {
        self.violations.record_event();
        if type_of(params) == "done" {
            self.violations.record_done();
        }
        if let Err(reason) = self.schema.check_event(params) {
            self.broken(SCHEMA, "an event that matches the schema", reason, location);
        }
        let run_id = params["runId"].as_str().unwrap_or_default();
        let Some(stream) = self.runs.get_mut(run_id) else {
            let got = format!("a `{}` event of run {run_id:?}", type_of(params));
            self.broken(UNKNOWN_RUN, "events only of runs that were started", got, location);
            return;
        };
        for violation in stream.event(params) {
            self.broken(violation.rule, violation.expected, violation.got, location);
        }
    }

    fn broken(
        &self,
        rule: &'static str,
        expected: impl Into<String>,
        got: impl Into<String>,
        location: &Location,
    ) {
        let failure = Failure::new(expected, got).at(location.clone());
        let failure = Failure { during: Some(self.label.get()), ..failure };
        self.own.add(rule, failure.clone());
        self.violations.add(rule, failure);
    }
}

fn type_of(params: &Value) -> &str {
    params["event"]["type"].as_str().unwrap_or("?")
}
