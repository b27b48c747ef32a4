//! Turns the log of a relay into a step file: values become placeholders, fragments of the answer a
//! repetition, lines from the adapter `expect` steps.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;

use super::expect::{Bound, format_line, pattern};
use super::fragments::{Group, find, find_json};
use super::known_values::KnownValues;
use super::scrub::Scrub;
use crate::real::relay::{RelayLog, RelayRecord};

/// How a line of the agent CLI is written.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Role {
    Plain,
    /// It starts a repetition; the text at the pointer is the fragment.
    Each {
        list: &'static str,
        pointer: String,
    },
    /// The text at the pointer is replaced by this.
    Put {
        pointer: String,
        text: String,
    },
    /// Omitted: another line represents it.
    Omitted,
}

/// The step file of one start.
pub(super) fn template(relay_log: &RelayLog, known: &KnownValues) -> String {
    let lines: Vec<Option<Value>> = relay_log.records.iter().map(stdout_value).collect();
    let roles = roles(&lines, known);
    let names = known.values.iter().map(|(value, name)| (value.clone(), format!("{{{{{name}}}}}")));
    let mut writer = Writer {
        known,
        scrub: Scrub::new(names),
        bound: Bound::default(),
        steps: String::new(),
        stderr: Vec::new(),
        in_handler: false,
    };
    for (index, entry) in relay_log.records.iter().enumerate() {
        let later: Vec<Value> = lines[index..].iter().flatten().cloned().collect();
        writer.step(entry, &roles[index], &later);
    }
    writer.end()
}

/// The lines of the agent CLI with inputs of tools joined: a split path or key could not be
/// recognised.
pub(super) fn unsplit(relay_log: &RelayLog, known: &KnownValues) -> Vec<String> {
    let mut values: Vec<Option<Value>> = relay_log.records.iter().map(stdout_value).collect();
    for input in &known.inputs {
        for group in find_json(&values, input).into_iter().filter(|group| group.lines.len() > 1) {
            let mut text = input.to_string();
            for line in &group.lines {
                if let Some(value) = &mut values[*line] {
                    put(value, &group.pointer, &std::mem::take(&mut text));
                }
            }
        }
    }
    let line = |(entry, value): (&RelayRecord, Option<Value>)| match entry {
        RelayRecord::Stdout { line } => {
            Some(value.map_or_else(|| line.clone(), |it| it.to_string()))
        }
        _ => None,
    };
    relay_log.records.iter().zip(values).filter_map(line).collect()
}

fn stdout_value(entry: &RelayRecord) -> Option<Value> {
    match entry {
        RelayRecord::Stdout { line } => serde_json::from_str(line).ok().filter(Value::is_object),
        _ => None,
    }
}

fn roles(lines: &[Option<Value>], known: &KnownValues) -> Vec<Role> {
    let mut roles = vec![Role::Plain; lines.len()];
    for (text, list) in [(&known.text, "deltas"), (&known.thinking, "thinking_deltas")] {
        let found = find(lines, text);
        for group in found.pieces {
            let each = Role::Each { list, pointer: group.pointer.clone() };
            represent(&mut roles, &group, group.lines.first().copied(), each);
        }
        for group in found.growing {
            represent(&mut roles, &group, group.lines.last().copied(), Role::Plain);
        }
    }
    for input in &known.inputs {
        let text = with_placeholders(input, known);
        for group in find_json(lines, input).into_iter().filter(|group| group.lines.len() > 1) {
            let put = Role::Put { pointer: group.pointer.clone(), text: text.clone() };
            represent(&mut roles, &group, group.lines.first().copied(), put);
        }
    }
    roles
}

/// One line of a group represents all of them.
fn represent(roles: &mut [Role], group: &Group, one: Option<usize>, role: Role) {
    for line in &group.lines {
        roles[*line] = if Some(*line) == one { role.clone() } else { Role::Omitted };
    }
}

/// JSON that an agent CLI prints as text, with its placeholders.
fn with_placeholders(value: &Value, known: &KnownValues) -> String {
    let names = known.values.iter().map(|(value, name)| (value.clone(), format!("{{{{{name}}}}}")));
    Scrub::new(names).value(value).to_string()
}

struct Writer<'a> {
    known: &'a KnownValues,
    scrub: Scrub,
    bound: Bound,
    steps: String,
    stderr: Vec<String>,
    in_handler: bool,
}

impl Writer<'_> {
    fn step(&mut self, entry: &RelayRecord, role: &Role, later: &[Value]) {
        match entry {
            RelayRecord::Start { .. } => {}
            RelayRecord::Stdin { line } => self.expect(line, later),
            RelayRecord::Stdout { line } => self.out(line, role),
            // Its position between two lines of stdout is unknown.
            RelayRecord::Stderr { line } if line.trim().is_empty() => {}
            RelayRecord::Stderr { line } => {
                let text = self.scrub.text(line);
                self.stderr.push(format!("err {text}"));
            }
            RelayRecord::Signal { name } if !self.in_handler => {
                self.in_handler = true;
                self.line("hang");
                self.line(&format!("on signal {name}"));
            }
            RelayRecord::Signal { .. } => {}
            RelayRecord::Exit { code } => {
                std::mem::take(&mut self.stderr).iter().for_each(|line| self.line(line));
                if let Some(code) = code {
                    self.line(&format!("exit {code}"));
                }
            }
        }
    }

    fn expect(&mut self, line: &str, later: &[Value]) {
        let value: Option<Value> = serde_json::from_str(line).ok();
        let pattern = value
            .as_ref()
            .and_then(|value| pattern(value, &self.known.prompt, later, &mut self.bound));
        match pattern {
            Some(pattern) => self.line(&format!("expect {pattern}")),
            None if value.is_none() && line.contains(&self.known.prompt) => {
                self.line("read-all prompt");
            }
            None => {}
        }
    }

    fn out(&mut self, line: &str, role: &Role) {
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            let text = self.scrub.text(line);
            return self.line(&format!("out {text}"));
        };
        let mut clean = self.scrub.value(&value);
        // Ids are bound before scrubbing: afterwards they could not be recognised.
        let mut bound = value.clone();
        self.bound.insert_placeholders(&mut bound);
        merge_bound(&mut clean, &bound, &value);
        match role {
            Role::Omitted => {}
            Role::Plain => self.line(&format!("out {}", format_line(&clean))),
            Role::Put { pointer, text } => {
                put(&mut clean, pointer, text);
                self.line(&format!("out {}", format_line(&clean)));
            }
            Role::Each { list, pointer } => {
                put(&mut clean, pointer, "{{text}}");
                self.line(&format!("{{{{#each {list}}}}}"));
                self.line(&format!("out {}", format_line(&clean)));
                self.line("{{/each}}");
            }
        }
    }

    fn line(&mut self, text: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.steps, "{}", text.replace(['\n', '\r'], " "));
    }

    fn end(mut self) -> String {
        if self.in_handler {
            self.line("end");
        }
        self.steps
    }
}

fn put(value: &mut Value, pointer: &str, text: &str) {
    if let Some(location) = value.pointer_mut(pointer) {
        *location = Value::String(text.to_owned());
    }
}

/// Applies the changes of binding.
fn merge_bound(clean: &mut Value, bound: &Value, raw: &Value) {
    if bound == raw {
        return;
    }
    match (clean, bound, raw) {
        (Value::Object(clean), Value::Object(bound), Value::Object(raw)) => {
            for (name, member) in clean.iter_mut() {
                if let (Some(bound), Some(raw)) = (bound.get(name), raw.get(name)) {
                    merge_bound(member, bound, raw);
                }
            }
        }
        (Value::Array(clean), Value::Array(bound), Value::Array(raw)) => {
            for ((clean, bound), raw) in clean.iter_mut().zip(bound).zip(raw) {
                merge_bound(clean, bound, raw);
            }
        }
        (clean, bound, _) => *clean = bound.clone(),
    }
}

/// The answers to probes (`--version`, `--help`), by arguments.
pub(super) fn probes<'a>(
    relay_logs: impl Iterator<Item = &'a RelayLog>,
    answer: impl Fn(&RelayLog) -> String,
) -> BTreeMap<Vec<String>, String> {
    relay_logs.map(|relay_log| (relay_log.arguments.clone(), answer(relay_log))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn out(line: &str) -> RelayRecord {
        RelayRecord::Stdout { line: line.to_owned() }
    }

    #[test]
    fn run_becomes_steps() {
        let known = KnownValues {
            text: "Hello".to_owned(),
            prompt: "say hello".to_owned(),
            inputs: vec![serde_json::json!({"command": "echo 1"})],
            values: vec![
                ("say hello".to_owned(), "prompt"),
                ("Hello".to_owned(), "text"),
                ("echo 1".to_owned(), "tool_command"),
                ("s-77".to_owned(), "session_id"),
            ],
            ..KnownValues::default()
        };
        let records = vec![
            RelayRecord::Stdin {
                line: r#"{"type":"user","uuid":"u","text":"say hello"}"#.to_owned(),
            },
            out(r#"{"type":"init","session":"s-77"}"#),
            out(r#"{"type":"echo","uuid":"u","text":"say hello"}"#),
            out(r#"{"type":"arguments","part":"{\"command\":"}"#),
            out(r#"{"type":"arguments","part":"\"echo 1\"}"}"#),
            out(r#"{"type":"delta","text":"Hel"}"#),
            out(r#"{"type":"delta","text":"lo"}"#),
            RelayRecord::Stderr { line: "see /home/alice/log".to_owned() },
            out(r#"{"type":"end","result":"Hello"}"#),
            RelayRecord::Exit { code: Some(0) },
        ];
        let steps = template(&RelayLog { records, ..RelayLog::default() }, &known);
        let expected = r#"expect {"text":"{{?prompt}}","type":"user","uuid":"{{?id_1}}"}
out {"session":"{{session_id}}","type":"init"}
out {"text":"{{prompt}}","type":"echo","uuid":"{{id_1}}"}
out {"part":"{\"command\":\"{{tool_command}}\"}","type":"arguments"}
{{#each deltas}}
out {"text":"{{text}}","type":"delta"}
{{/each}}
out {"result":"{{text}}","type":"end"}
err see /path
exit 0
"#;
        let classify = |text: &str| -> Vec<String> { text.lines().map(sorted_members).collect() };
        assert_eq!(classify(&steps), classify(expected), "{steps}");
    }

    /// Sorts members, so that the test does not depend on their order.
    fn sorted_members(line: &str) -> String {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match serde_json::from_str::<BTreeMap<String, Value>>(rest) {
            Ok(members) => format!("{word} {members:?}"),
            Err(_) => line.to_owned(),
        }
    }

    #[test]
    fn split_tool_input_is_joined() {
        let known = KnownValues {
            inputs: vec![serde_json::json!({"path": "/home/alice/x"})],
            ..KnownValues::default()
        };
        let records = vec![
            out(r#"{"part":"{\"path\":\"/home/al"}"#),
            out(r#"{"part":"ice/x\"}"}"#),
            out("no json"),
        ];
        let lines = unsplit(&RelayLog { records, ..RelayLog::default() }, &known);
        let whole = r#"{"part":"{\"path\":\"/home/alice/x\"}"}"#;
        assert_eq!(lines, [whole, r#"{"part":""}"#, "no json"]);
    }

    #[test]
    fn signal_starts_handler() {
        let records = vec![
            out("plain text"),
            RelayRecord::Signal { name: "SIGINT".to_owned() },
            out("bye"),
            RelayRecord::Exit { code: Some(130) },
        ];
        let steps = template(&RelayLog { records, ..RelayLog::default() }, &KnownValues::default());
        assert_eq!(steps, "out plain text\nhang\non signal SIGINT\nout bye\nexit 130\nend\n");
    }
}
