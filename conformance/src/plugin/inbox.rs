//! Sorting what a plugin says: answers by id, events by run, everything else kept for a look. Every
//! line passes the invariants on its way.

use std::collections::HashMap;
use std::time::Instant;

use serde_json::Value;

use super::channel::Sorter;
use super::record::{Received, RunRecord};
use super::wire::Incoming;
use crate::invariants::Watch;
use crate::transcript::{Place, Source, Transcript};
use crate::verdict::Failure;

/// The most lines besides answers and events that are kept.
const OTHERS_LIMIT: usize = 1000;

/// The most bytes of events that are kept at once; later events only count for the invariants.
const EVENTS_LIMIT: usize = 256 * 1024 * 1024;

/// A line that was read.
#[derive(Debug, Clone)]
pub struct Line {
    /// When it was complete.
    pub at: Instant,
    /// Where it stands in the transcript.
    pub place: Place,
    /// What it says; null when it is no JSON.
    pub value: Value,
}

/// Everything a plugin has said so far.
pub struct Inbox {
    /// Answers by the JSON text of their id.
    pub answers: HashMap<String, Line>,
    /// Every line that is neither an answer to an asked id nor an event, the oldest first.
    pub others: Vec<Line>,
    /// Runs by id.
    pub runs: HashMap<String, RunRecord>,
    /// The method of each asked id, by the JSON text of the id.
    pub asked: HashMap<String, String>,
    /// The plugin closed its stdout.
    pub ended: bool,
    kept_bytes: usize,
    watch: Watch,
    transcript: Transcript,
}

impl Inbox {
    /// An empty one.
    pub fn new(watch: Watch, transcript: Transcript) -> Self {
        Self {
            answers: HashMap::new(),
            others: Vec::new(),
            runs: HashMap::new(),
            asked: HashMap::new(),
            ended: false,
            kept_bytes: 0,
            watch,
            transcript,
        }
    }

    /// Says that a run is being started, so that its events are no strays.
    pub fn open_run(&mut self, run_id: &str) {
        self.watch.open_run(run_id);
        let record = RunRecord { run_id: run_id.to_owned(), ..RunRecord::default() };
        self.runs.entry(run_id.to_owned()).or_insert(record);
    }

    /// Says that `run/start` was answered with a result.
    pub fn accept_run(&mut self, run_id: &str) {
        if let Some(record) = self.runs.get_mut(run_id) {
            record.is_accepted = true;
        }
    }

    /// Forgets what was said; what the invariants know stays.
    pub fn forget(&mut self) {
        self.answers.clear();
        self.others.clear();
        self.runs.clear();
        self.asked.clear();
        self.kept_bytes = 0;
    }

    /// Says that `run/start` was refused: no event may come for it.
    pub fn close_run(&mut self, run_id: &str) {
        self.watch.refuse_run(run_id);
    }

    /// The rules over every line that this plugin process has broken.
    pub fn broken_rules(&self) -> Vec<(&'static str, Failure)> {
        self.watch.broken_rules()
    }

    /// Whether a `done` has been missing before, so that waiting long is no use.
    pub fn has_missed_done(&self) -> bool {
        self.watch.has_missed_done()
    }

    /// Whether any run got its `done`, so that one that does not is special.
    pub fn has_seen_done(&self) -> bool {
        self.watch.has_seen_done()
    }

    /// Says that a run ended without its `done`.
    pub fn miss_done(&self, summary: &str) {
        self.watch.missing_done(summary, &self.transcript.place());
    }

    fn take_line(&mut self, bytes: &[u8], at: Instant) {
        let place = self.transcript.note(Source::Plugin, bytes);
        let Some(value) = self.watch.line(bytes, &place) else {
            return self.keep(Line { at, place, value: Value::Null });
        };
        let line = Line { at, place, value };
        if line.value["method"] == od_protocol::RUN_EVENT {
            self.watch.event(&line.value["params"], &line.place);
            return self.keep_event(line, bytes.len());
        }
        let id = line.value.get("id").map(Value::to_string);
        match id.as_ref().and_then(|id| self.asked.get(id)) {
            Some(method) => {
                self.watch.answer(method, &line.value, &line.place);
                self.answers.insert(id.unwrap_or_default(), line);
            }
            None => {
                self.watch.other(&line.value, &line.place);
                self.keep(line);
            }
        }
    }

    fn keep(&mut self, line: Line) {
        if self.others.len() < OTHERS_LIMIT {
            self.others.push(line);
        }
    }

    fn keep_event(&mut self, line: Line, bytes: usize) {
        let params = &line.value["params"];
        let run_id = params["runId"].as_str().unwrap_or_default();
        let Some(record) = self.runs.get_mut(run_id) else {
            return self.keep(line);
        };
        if record.finished {
            return;
        }
        record.finished = params["event"]["type"] == "done";
        if self.kept_bytes >= EVENTS_LIMIT && !record.finished {
            return;
        }
        self.kept_bytes += bytes;
        let (seq, value) = (params["seq"].as_u64().unwrap_or(u64::MAX), params["event"].clone());
        record.events.push(Received { at: line.at, place: line.place, seq, value });
    }
}

impl Sorter for Inbox {
    fn take(&mut self, incoming: Incoming) {
        match incoming {
            Incoming::Line { bytes, at } => self.take_line(&bytes, at),
            Incoming::Oversized { bytes } => {
                let text = format!("a line of {bytes} bytes, dropped");
                let place = self.transcript.note(Source::Plugin, text.as_bytes());
                self.watch.oversized(bytes, &place);
            }
            Incoming::Unterminated { bytes } => {
                let place = self.transcript.note(Source::Plugin, &bytes);
                self.watch.unterminated(&bytes, &place);
            }
            Incoming::End => {
                self.transcript.note(Source::Remark, b"the plugin closed its stdout");
                self.ended = true;
            }
        }
    }

    fn has_ended(&self) -> bool {
        self.ended
    }

    fn end(&mut self) {
        self.ended = true;
    }
}
