//! Sorting what an agent says: answers by id, updates and requests in their order, everything else
//! kept for a look. Every line passes the rules on its way.

use std::collections::HashMap;
use std::time::Instant;

use serde_json::Value;

use super::watch::Watch;
use crate::plugin::{Incoming, Sorter};
use crate::transcript::{Place, Source, Transcript};

/// The most lines of each kind that are kept; later ones only count for the rules.
const KEPT: usize = 50_000;

/// A line that was read.
#[derive(Debug, Clone)]
pub struct Line {
    /// Its number among all lines of the process.
    pub order: usize,
    /// When it was complete.
    pub at: Instant,
    /// Where it stands in the transcript.
    pub place: Place,
    /// What it says; null when it is no message.
    pub value: Value,
}

impl Line {
    /// The session it names.
    pub fn session(&self) -> &str {
        self.value["params"]["sessionId"].as_str().unwrap_or_default()
    }

    /// What a `session/update` says.
    pub fn update(&self) -> &Value {
        &self.value["params"]["update"]
    }

    /// What kind of update it is.
    pub fn kind(&self) -> &str {
        self.update()["sessionUpdate"].as_str().unwrap_or_default()
    }
}

/// Everything an agent has said so far.
pub struct Inbox {
    /// Answers by the JSON text of their id.
    pub answers: HashMap<String, Line>,
    /// `session/update` notifications, the oldest first.
    pub updates: Vec<Line>,
    /// What the agent asked of its client, the oldest first.
    pub requests: Vec<Line>,
    /// Everything else, the oldest first.
    pub others: Vec<Line>,
    /// The agent closed its stdout.
    pub ended: bool,
    /// The rules over every line.
    pub(super) watch: Watch,
    lines: usize,
    transcript: Transcript,
}

impl Inbox {
    pub(super) fn new(watch: Watch, transcript: Transcript) -> Self {
        Self {
            answers: HashMap::new(),
            updates: Vec::new(),
            requests: Vec::new(),
            others: Vec::new(),
            ended: false,
            watch,
            lines: 0,
            transcript,
        }
    }

    fn take_line(&mut self, bytes: &[u8], at: Instant) {
        let place = self.transcript.note(Source::Plugin, bytes);
        self.lines += 1;
        let value = self.watch.line(bytes, &place).unwrap_or_default();
        let line = Line { order: self.lines, at, place, value };
        let is_call = line.value["method"].is_string();
        let id = line.value.get("id").map(Value::to_string);
        let list = match (is_call, id) {
            (true, Some(_)) => &mut self.requests,
            (true, None) if line.value["method"] == "session/update" => &mut self.updates,
            (false, Some(id)) if self.watch.is_asked(&id) => {
                self.answers.entry(id).or_insert(line);
                return;
            }
            _ => &mut self.others,
        };
        if list.len() < KEPT {
            list.push(line);
        }
    }
}

impl Sorter for Inbox {
    fn take(&mut self, incoming: Incoming) {
        match incoming {
            Incoming::Line { bytes, at } => self.take_line(&bytes, at),
            Incoming::Oversized { bytes } => {
                let text = format!("a line of {bytes} bytes, dropped");
                let place = self.transcript.note(Source::Plugin, text.as_bytes());
                self.watch.no_message(&text, &place);
            }
            Incoming::Unterminated { bytes } => {
                let place = self.transcript.note(Source::Plugin, &bytes);
                self.watch.no_message("bytes without a line feed at the end", &place);
            }
            Incoming::End => {
                self.transcript.note(Source::Remark, b"the agent closed its stdout");
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
