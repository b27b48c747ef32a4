//! The values of a run that the suite chose or the adapter reported. Recordings contain placeholders
//! in their place.

use serde_json::Value;

use crate::adapter_client::RunRecord;

type Named = (String, &'static str);

#[derive(Debug, Clone, Default)]
pub(super) struct KnownValues {
    pub(super) text: String,
    pub(super) thinking: String,
    pub(super) prompt: String,
    /// The inputs of the tool calls.
    pub(super) inputs: Vec<Value>,
    pub(super) values: Vec<Named>,
}

pub(super) struct Surroundings<'a> {
    pub(super) prompt: &'a str,
    /// The folder of the run.
    pub(super) cwd: &'a str,
    /// The API key.
    pub(super) secret: &'a str,
    /// The session of an earlier run that this one resumes.
    pub(super) earlier: Option<&'a str>,
}

impl KnownValues {
    /// Reads the events of a run.
    pub(super) fn of(record: &RunRecord, surroundings: &Surroundings<'_>) -> Self {
        let inputs: Vec<Value> =
            record.of_type("tool_call_ready").map(|it| it.value["input"].clone()).collect();
        let mut known = Self {
            text: record.text(),
            thinking: record.thinking(),
            prompt: surroundings.prompt.to_owned(),
            inputs,
            values: Vec::new(),
        };
        known.add_surroundings(record, surroundings);
        known.add_tools(record, surroundings.cwd);
        known.values.retain(|(value, _)| !value.is_empty());
        known
    }

    fn add_surroundings(&mut self, record: &RunRecord, surroundings: &Surroundings<'_>) {
        self.add(&self.prompt.clone(), "prompt");
        self.add(&self.text.clone(), "text");
        self.add(&self.thinking.clone(), "thinking");
        self.add(surroundings.cwd, "cwd");
        self.add(surroundings.secret, "secret");
        let own = first(record, "session_started", "sessionId");
        match (surroundings.earlier, own) {
            (Some(earlier), Some(own)) if own != earlier => {
                self.add(earlier, "session_id");
                self.add(&own, "new_session_id");
            }
            (_, Some(own)) => self.add(&own, "session_id"),
            (Some(earlier), None) => self.add(earlier, "session_id"),
            (None, None) => {}
        }
        if let Some(model) = first(record, "session_started", "model") {
            self.add(&model, "model");
        }
    }

    fn add_tools(&mut self, record: &RunRecord, cwd: &str) {
        let ids = record.of_type("tool_call_ready").map(|it| text(&it.value["toolCallId"]));
        for (id, name) in ids.collect::<Vec<_>>().iter().zip(["tool_id", "tool_id_2"]) {
            self.add(id, name);
        }
        let outputs = record.of_type("tool_result").map(|it| text(&it.value["output"]));
        for (output, name) in
            outputs.collect::<Vec<_>>().iter().zip(["tool_output", "tool_output_2"])
        {
            self.add(output, name);
        }
        for input in self.inputs.clone() {
            for (name, value) in input.as_object().into_iter().flatten() {
                let Some(value) = value.as_str() else { continue };
                match name.to_lowercase() {
                    name if name.contains("command") => self.add(value, "tool_command"),
                    name if name.contains("content") => self.add(value, "file_content"),
                    _ if value.starts_with(cwd) => self.add(value, "file_path"),
                    _ => {}
                }
            }
        }
    }

    /// Keeps the first value per name, and one name per value.
    fn add(&mut self, value: &str, name: &'static str) {
        let is_known = self.values.iter().any(|(known, taken)| known == value || *taken == name);
        if !is_known {
            self.values.push((value.to_owned(), name));
        }
    }
}

fn first(record: &RunRecord, event: &str, member: &str) -> Option<String> {
    let received = record.of_type(event).next()?;
    received.value[member].as_str().map(str::to_owned)
}

/// A value as an agent CLI prints it: text unchanged, a list of parts as their joined texts.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}
