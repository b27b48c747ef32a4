//! Sorts received lines: responses by id, events by run, others in a list. Every line is also
//! checked against the invariants.

use std::collections::HashMap;
use std::time::Instant;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::connection::{Sorter, StderrChecker};
use super::record::{Received, RunRecord};
use crate::invariants::InvariantChecker;
use crate::transcript::Location;

/// How many other lines are kept at most.
const MAX_OTHER_LINES: usize = 1000;

/// How many bytes of events are kept. A check that needs more cannot evaluate the adapter.
const MAX_EVENT_BYTES: usize = 256 * 1024 * 1024;

/// A received line.
#[derive(Debug, Clone)]
pub struct Line {
    /// When it was complete.
    pub at: Instant,
    /// Its location in the transcript.
    pub location: Location,
    /// Its content; null if it is not JSON.
    pub value: Value,
    /// The JSON text of its `id`, exactly as it was written; empty if it has none.
    pub raw_id: String,
}

/// The member whose exact text matters.
#[derive(Deserialize)]
struct Identified<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
}

fn raw_id(bytes: &[u8]) -> String {
    let identified = serde_json::from_slice::<Identified>(bytes).ok();
    identified.and_then(|line| line.id).map(|id| id.get().to_owned()).unwrap_or_default()
}

/// Everything that an adapter has sent so far.
pub struct Inbox {
    /// Responses by the JSON text of their id.
    pub answers: HashMap<String, Line>,
    /// Every line that is neither a response to a sent request nor an event, oldest first.
    pub others: Vec<Line>,
    /// Runs by id.
    pub runs: HashMap<String, RunRecord>,
    /// The method of each sent request, by the JSON text of its id.
    pub asked: HashMap<String, String>,
    /// The invariants of every line.
    pub checker: InvariantChecker,
    /// Whether the process has responded to any request: its start is over.
    pub has_answered: bool,
    kept_bytes: usize,
}

impl Inbox {
    /// Creates an empty inbox.
    pub fn new(checker: InvariantChecker) -> Self {
        Self {
            answers: HashMap::new(),
            others: Vec::new(),
            runs: HashMap::new(),
            asked: HashMap::new(),
            checker,
            has_answered: false,
            kept_bytes: 0,
        }
    }

    /// Registers a run that is being started, so that its events are expected.
    pub fn open_run(&mut self, run_id: &str) {
        self.checker.open_run(run_id);
        self.runs.entry(run_id.to_owned()).or_default();
    }

    /// Records that `run/start` was accepted.
    pub fn accept_run(&mut self, run_id: &str) {
        if let Some(record) = self.runs.get_mut(run_id) {
            record.is_accepted = true;
        }
    }

    /// Discards the received messages; the state of the invariants remains.
    pub fn forget(&mut self) {
        self.answers.clear();
        self.others.clear();
        self.runs.clear();
        self.asked.clear();
        self.kept_bytes = 0;
    }

    fn keep(&mut self, line: Line) {
        if self.others.len() < MAX_OTHER_LINES {
            self.others.push(line);
        }
    }

    fn keep_event(&mut self, mut line: Line, bytes: usize) {
        let run_id = line.value["params"]["runId"].as_str().unwrap_or_default();
        let Some(record) = self.runs.get_mut(run_id) else {
            return self.keep(line);
        };
        let mut event = line.value["params"]["event"].take();
        if let Value::Object(members) = &mut event {
            // No check compares custom data, and it can be large.
            members.remove("_meta");
        }
        let params = &line.value["params"];
        if record.finished {
            return;
        }
        record.finished = event["type"] == "done";
        if self.kept_bytes >= MAX_EVENT_BYTES && !record.finished {
            record.dropped_events += 1;
            return;
        }
        self.kept_bytes += text_bytes(&event);
        let number = |name: &str| params[name].as_u64().unwrap_or(u64::MAX);
        record.events.push(Received {
            at: line.at,
            location: line.location,
            seq: number("seq"),
            ts: number("ts"),
            bytes,
            value: event,
        });
    }
}

/// Returns the number of bytes of all texts in a value, names included.
fn text_bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(text_bytes).sum(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| name.len() + text_bytes(value)).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

impl Sorter for Inbox {
    const PROCESS: &'static str = "adapter";

    fn expect_answer(&mut self, id: &str, method: &str, _params: &Value) {
        self.asked.insert(id.to_owned(), method.to_owned());
    }

    fn note_sent(&mut self, line: &[u8]) {
        self.checker.sent(line);
    }

    fn stderr_checker(&self) -> StderrChecker {
        Box::new(self.checker.stderr_checker())
    }

    fn take_line(&mut self, bytes: &[u8], at: Instant, location: Location) {
        // A reader skips blank lines.
        if bytes.trim_ascii().is_empty() {
            return;
        }
        let Some(value) = self.checker.line(bytes, &location) else {
            let raw_id = String::new();
            return self.keep(Line { at, location, value: Value::Null, raw_id });
        };
        let mut line = Line { at, location, value, raw_id: String::new() };
        if line.value["method"] == od_protocol::adapter::RUN_EVENT {
            self.checker.event(&line.value["params"], &line.location);
            return self.keep_event(line, bytes.len());
        }
        line.raw_id = raw_id(bytes);
        let id = line.value.get("id").map(Value::to_string);
        match id.as_ref().and_then(|id| self.asked.get(id)) {
            Some(method) => {
                self.checker.answer(method, &line.value, &line.location);
                self.has_answered = true;
                self.answers.insert(id.unwrap_or_default(), line);
            }
            None => {
                self.checker.other(&line.value, &line.location);
                let method = line.value["method"].as_str();
                // Notifications of vendors are legal at any time and mean nothing to the suite.
                if !method.is_some_and(|method| method.starts_with('_')) {
                    self.keep(line);
                }
            }
        }
    }

    fn report_oversized(&mut self, bytes: usize, location: &Location) {
        self.checker.oversized(bytes, location);
    }

    fn report_unterminated(&mut self, bytes: &[u8], location: &Location) {
        self.checker.unterminated(bytes, location);
    }
}
