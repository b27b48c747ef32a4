//! Sorts received lines: responses by id, updates and requests in order, others in a list. Every
//! line is also checked against the invariants.

use std::collections::HashMap;
use std::time::Instant;

use serde_json::Value;

use super::invariants::AgentInvariants;
use crate::adapter_client::Sorter;
use crate::transcript::Location;

/// How many lines of each kind are kept; later ones are only checked against the invariants.
const MAX_KEPT_LINES: usize = 50_000;

/// A received line.
#[derive(Debug, Clone)]
pub struct Line {
    /// Its number among all lines of the process.
    pub order: usize,
    /// Its content; null if it is not a message.
    pub value: Value,
}

impl Line {
    /// Returns its session id.
    pub fn session(&self) -> &str {
        self.value["params"]["sessionId"].as_str().unwrap_or_default()
    }

    /// Returns the content of a `session/update`.
    pub fn update(&self) -> &Value {
        &self.value["params"]["update"]
    }

    /// Returns the kind of the update.
    pub fn kind(&self) -> &str {
        self.update()["sessionUpdate"].as_str().unwrap_or_default()
    }
}

/// Everything that an agent has sent so far.
pub struct Inbox {
    /// Responses by the JSON text of their id.
    pub answers: HashMap<String, Line>,
    /// `session/update` notifications, oldest first.
    pub updates: Vec<Line>,
    /// Requests to the client, oldest first.
    pub requests: Vec<Line>,
    /// Everything else, oldest first.
    pub others: Vec<Line>,
    pub(super) invariants: AgentInvariants,
    lines: usize,
}

impl Inbox {
    pub(super) fn new(invariants: AgentInvariants) -> Self {
        Self {
            answers: HashMap::new(),
            updates: Vec::new(),
            requests: Vec::new(),
            others: Vec::new(),
            invariants,
            lines: 0,
        }
    }
}

impl Sorter for Inbox {
    const PROCESS: &'static str = "agent";

    fn expect_answer(&mut self, id: &str, method: &str, params: &Value) {
        self.invariants.ask(id, method, params);
    }

    fn take_line(&mut self, bytes: &[u8], _at: Instant, location: Location) {
        self.lines += 1;
        let value = self.invariants.line(bytes, &location).unwrap_or_default();
        let line = Line { order: self.lines, value };
        let is_call = line.value["method"].is_string();
        let id = line.value.get("id").map(Value::to_string);
        let list = match (is_call, id) {
            (true, Some(_)) => &mut self.requests,
            (true, None) if line.value["method"] == "session/update" => &mut self.updates,
            (false, Some(id)) if self.invariants.was_requested(&id) => {
                self.answers.entry(id).or_insert(line);
                return;
            }
            _ => &mut self.others,
        };
        if list.len() < MAX_KEPT_LINES {
            list.push(line);
        }
    }

    fn report_oversized(&mut self, bytes: usize, location: &Location) {
        self.invariants.report_invalid_line(&format!("a line of {bytes} bytes, dropped"), location);
    }

    fn report_unterminated(&mut self, _bytes: &[u8], location: &Location) {
        self.invariants.report_invalid_line("bytes without a line feed at the end", location);
    }
}
