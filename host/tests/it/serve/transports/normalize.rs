//! Replaces ids, times, processes and folders, which differ between hosts. Everything else must be equal.

use serde_json::Value;

/// Members that depend on the clock, the system or how the host was started.
const VARIABLE_MEMBERS: [&str; 13] = [
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
    "refreshing",
];

/// The ids seen so far, in order.
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

    /// `run-1` for the first run.
    pub(super) fn of_run(&mut self, run_id: &str) -> String {
        name("run", &mut self.runs, run_id)
    }

    /// Normalizes a value.
    pub(super) fn normalize(&mut self, value: &Value) -> Value {
        match value {
            Value::Array(values) => values.iter().map(|value| self.normalize(value)).collect(),
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
            // Whether it is present does not vary.
            (_, Value::Null) => Value::Null,
            _ if VARIABLE_MEMBERS.contains(&member) => Value::String("*".to_owned()),
            _ => self.normalize(value),
        }
    }

    fn text(&self, text: &str) -> String {
        let mut text = text.replace(&self.root, "$ROOT");
        for (label, ids) in [("run", &self.runs), ("session", &self.sessions)] {
            for (index, id) in ids.iter().enumerate() {
                text = text.replace(id, &format!("{label}-{}", index + 1));
            }
        }
        text
    }
}

fn name(label: &str, known: &mut Vec<String>, id: &str) -> String {
    let index = known.iter().position(|known| known == id).unwrap_or_else(|| {
        known.push(id.to_owned());
        known.len() - 1
    });
    format!("{label}-{}", index + 1)
}
