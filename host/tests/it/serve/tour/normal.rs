//! What differs from host to host is made the same: ids, times, processes, folders. Everything else must be equal
//! to the letter.

use serde_json::Value;

/// Numbers that a clock or the system chose, and words that name how the host was started: the library is part of a
/// process with a PATH and a shell of its own.
const CHOSEN_BY_CHANCE: [&str; 12] = [
    "ts",
    "startedAt",
    "endedAt",
    "detectedAt",
    "durationMs",
    "apiDurationMs",
    "ttftMs",
    "pid",
    "sha256",
    "pinned",
    "origin",
    "evidence",
];

/// The ids that were met so far, by their order.
pub(super) struct Names {
    root: String,
    runs: Vec<String>,
    sessions: Vec<String>,
}

impl Names {
    pub(super) fn new(root: &str) -> Self {
        let root = root.trim_end_matches('/').to_owned();
        Self { root, runs: Vec::new(), sessions: Vec::new() }
    }

    /// `run-1` for the first run that was met.
    pub(super) fn of_run(&mut self, run_id: &str) -> String {
        name("run", &mut self.runs, run_id)
    }

    /// A value as every face must show it.
    pub(super) fn normal(&mut self, value: &Value) -> Value {
        match value {
            Value::Array(values) => values.iter().map(|value| self.normal(value)).collect(),
            Value::Object(members) => {
                let members = members.iter();
                members.map(|(name, value)| (name.clone(), self.member(name, value))).collect()
            }
            Value::String(text) => Value::String(self.text(text)),
            _ => value.clone(),
        }
    }

    fn member(&mut self, member: &str, value: &Value) -> Value {
        match (member, value) {
            ("runId" | "next", Value::String(id)) => Value::String(self.of_run(id)),
            ("sessionId", Value::String(id)) => {
                Value::String(name("session", &mut self.sessions, id))
            }
            // Whether it is there is no chance.
            (_, Value::Null) => Value::Null,
            _ if CHOSEN_BY_CHANCE.contains(&member) => Value::String("*".to_owned()),
            _ => self.normal(value),
        }
    }

    fn text(&self, text: &str) -> String {
        let mut text = text.replace(&self.root, "$ROOT");
        for (word, ids) in [("run", &self.runs), ("session", &self.sessions)] {
            for (index, id) in ids.iter().enumerate() {
                text = text.replace(id, &format!("{word}-{}", index + 1));
            }
        }
        text
    }
}

fn name(word: &str, known: &mut Vec<String>, id: &str) -> String {
    let index = known.iter().position(|known| known == id).unwrap_or_else(|| {
        known.push(id.to_owned());
        known.len() - 1
    });
    format!("{word}-{}", index + 1)
}
