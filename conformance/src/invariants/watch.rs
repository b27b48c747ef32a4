//! Watching every line of one plugin process.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use super::stream::Stream;
use super::{Label, Violations};
use crate::schema::Schema;
use crate::transcript::Place;
use crate::verdict::{Failure, shorten};

/// One line is one JSON object in valid UTF-8.
const LINES: &str = "ENC-05";
/// Every message fits the schema.
const SCHEMA: &str = "SCH-01";
/// One `done`, nothing after it.
const DONE: &str = "ORD-01";
/// No event for a run that was not started.
const STRAY: &str = "ORD-03";

/// Watches every line of one plugin process.
pub struct Watch {
    schema: Arc<Schema>,
    violations: Violations,
    /// What this process alone has broken.
    own: Violations,
    label: Label,
    runs: HashMap<String, Stream>,
}

impl Watch {
    /// Starts watching.
    pub fn new(schema: Arc<Schema>, violations: Violations, label: Label) -> Self {
        Self { schema, violations, own: Violations::default(), label, runs: HashMap::new() }
    }

    /// The rules that this process has broken, each with the first time.
    pub fn broken_rules(&self) -> Vec<(&'static str, Failure)> {
        self.own.all()
    }

    /// A run is being started.
    pub fn open_run(&mut self, run_id: &str) {
        self.runs.entry(run_id.to_owned()).or_default();
    }

    /// A run was refused: nothing may come for it.
    pub fn refuse_run(&mut self, run_id: &str) {
        self.runs.remove(run_id);
    }

    /// The agent CLI of a run has ended and its `done` did not come in time.
    pub fn missing_done(&self, summary: &str, place: &Place) {
        self.violations.miss_done();
        let expected = "exactly one `done` as the last event of the run";
        self.broken(DONE, expected, format!("no `done`; the events were: {summary}"), place);
    }

    /// Whether any run got its `done`, so that one that does not is special.
    pub fn has_seen_done(&self) -> bool {
        self.violations.has_seen_done()
    }

    /// Whether a `done` has been missing before, so that waiting long is no use.
    pub fn has_missed_done(&self) -> bool {
        self.violations.has_missed_done()
    }

    /// Reads a line; `None` when it is no JSON object.
    pub fn line(&self, bytes: &[u8], place: &Place) -> Option<Value> {
        let expected = "one JSON object in valid UTF-8 per line";
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                self.broken(LINES, expected, format!("bytes that are no UTF-8: {error}"), place);
                return None;
            }
        };
        match serde_json::from_str::<Value>(text) {
            Ok(value) if value.is_object() => Some(value),
            Ok(_) => {
                self.broken(
                    LINES,
                    expected,
                    format!("JSON of another shape: {}", shorten(text, 200)),
                    place,
                );
                None
            }
            Err(error) => {
                let got = format!("a line that is no JSON ({error}): {}", shorten(text, 200));
                self.broken(LINES, expected, got, place);
                None
            }
        }
    }

    /// A line was longer than any reader has to take.
    pub fn oversized(&self, bytes: usize, place: &Place) {
        let expected = "lines of at most 16 MiB, larger payloads shortened with `truncated`";
        self.broken(LINES, expected, format!("a line of {bytes} bytes"), place);
    }

    /// The output ended inside a line. Only a process that was killed may do that.
    pub fn unterminated(&self, bytes: &[u8], place: &Place) {
        let text = String::from_utf8_lossy(bytes);
        let got = format!("output that ends inside a line: {}", shorten(&text, 200));
        self.broken(LINES, "every line ends with a line feed", got, place);
    }

    /// An answer to a request of the suite.
    pub fn answer(&self, method: &str, message: &Value, place: &Place) {
        if let Err(reason) = self.schema.check_answer(method, message) {
            let expected = format!("an answer to {method} that fits the schema");
            self.broken(SCHEMA, expected, reason, place);
        }
    }

    /// A message that is neither an event nor an answer to something asked.
    pub fn other(&self, message: &Value, place: &Place) {
        if let Err(reason) = self.schema.check_other(message) {
            self.broken(SCHEMA, "a message of the protocol", reason, place);
        }
    }

    /// The parameters of a `run/event`.
    pub fn event(&mut self, params: &Value, place: &Place) {
        self.violations.see_event();
        if type_of(params) == "done" {
            self.violations.see_done();
        }
        if let Err(reason) = self.schema.check_event(params) {
            self.broken(SCHEMA, "an event that fits the schema", reason, place);
        }
        let run_id = params["runId"].as_str().unwrap_or_default();
        let Some(stream) = self.runs.get_mut(run_id) else {
            let got = format!("a `{}` event of run {run_id:?}", type_of(params));
            self.broken(STRAY, "events only of runs that were started", got, place);
            return;
        };
        for breach in stream.event(params) {
            self.broken(breach.rule, breach.expected, breach.got, place);
        }
    }

    fn broken(
        &self,
        rule: &'static str,
        expected: impl Into<String>,
        got: impl Into<String>,
        place: &Place,
    ) {
        let failure = Failure::new(expected, got).at(place.clone());
        let failure = Failure { during: Some(self.label.get()), ..failure };
        self.own.add(rule, failure.clone());
        self.violations.add(rule, failure);
    }
}

fn type_of(params: &Value) -> &str {
    params["event"]["type"].as_str().unwrap_or("?")
}
