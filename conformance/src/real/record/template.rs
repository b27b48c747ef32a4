//! What passed between adapter and agent CLI becomes a step file: values are placeholders again,
//! pieces of the answer are repeated, lines from the adapter are expected.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;

use super::expect::{Bound, pattern, written};
use super::known::Known;
use super::pieces::{Group, find, find_json};
use super::scrub::Scrub;
use crate::real::relay::{Journal, Passed};

/// What becomes of a line of the agent CLI.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Role {
    /// It stands as it is.
    Plain,
    /// It begins a repetition; the text at the place is the piece.
    Each { list: &'static str, pointer: String },
    /// Its text at the place becomes this.
    Put { pointer: String, text: String },
    /// Another line stands for it.
    Gone,
}

/// Makes the step file of one start.
pub(super) fn template(journal: &Journal, known: &Known) -> String {
    let lines: Vec<Option<Value>> = journal.passed.iter().map(stdout_value).collect();
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
    for (index, passed) in journal.passed.iter().enumerate() {
        let later: Vec<Value> = lines[index..].iter().flatten().cloned().collect();
        writer.step(passed, &roles[index], &later);
    }
    writer.end()
}

/// The lines of the agent CLI with what tools were called with in one piece: a path or a key that was
/// cut apart could not be known again.
pub(super) fn unsplit(journal: &Journal, known: &Known) -> Vec<String> {
    let mut values: Vec<Option<Value>> = journal.passed.iter().map(stdout_value).collect();
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
    let line = |(passed, value): (&Passed, Option<Value>)| match passed {
        Passed::Stdout { line } => Some(value.map_or_else(|| line.clone(), |it| it.to_string())),
        _ => None,
    };
    journal.passed.iter().zip(values).filter_map(line).collect()
}

fn stdout_value(passed: &Passed) -> Option<Value> {
    match passed {
        Passed::Stdout { line } => serde_json::from_str(line).ok().filter(Value::is_object),
        _ => None,
    }
}

fn roles(lines: &[Option<Value>], known: &Known) -> Vec<Role> {
    let mut roles = vec![Role::Plain; lines.len()];
    for (text, list) in [(&known.text, "deltas"), (&known.thinking, "thinking_deltas")] {
        let found = find(lines, text);
        for group in found.pieces {
            let each = Role::Each { list, pointer: group.pointer.clone() };
            stand_for(&mut roles, &group, group.lines.first().copied(), each);
        }
        for group in found.growing {
            stand_for(&mut roles, &group, group.lines.last().copied(), Role::Plain);
        }
    }
    for input in &known.inputs {
        let text = with_names(input, known);
        for group in find_json(lines, input).into_iter().filter(|group| group.lines.len() > 1) {
            let put = Role::Put { pointer: group.pointer.clone(), text: text.clone() };
            stand_for(&mut roles, &group, group.lines.first().copied(), put);
        }
    }
    roles
}

/// One line of a group stands for all of them.
fn stand_for(roles: &mut [Role], group: &Group, one: Option<usize>, role: Role) {
    for line in &group.lines {
        roles[*line] = if Some(*line) == one { role.clone() } else { Role::Gone };
    }
}

/// JSON that an agent CLI prints as text, with its placeholders.
fn with_names(value: &Value, known: &Known) -> String {
    let names = known.values.iter().map(|(value, name)| (value.clone(), format!("{{{{{name}}}}}")));
    Scrub::new(names).value(value).to_string()
}

struct Writer<'a> {
    known: &'a Known,
    scrub: Scrub,
    bound: Bound,
    steps: String,
    stderr: Vec<String>,
    in_handler: bool,
}

impl Writer<'_> {
    fn step(&mut self, passed: &Passed, role: &Role, later: &[Value]) {
        match passed {
            Passed::Start { .. } => {}
            Passed::Stdin { line } => self.expect(line, later),
            Passed::Stdout { line } => self.out(line, role),
            // Nobody can say at which moment between two lines of stdout it was printed.
            Passed::Stderr { line } if line.trim().is_empty() => {}
            Passed::Stderr { line } => {
                let text = self.scrub.text(line);
                self.stderr.push(format!("err {text}"));
            }
            Passed::Signal { name } if !self.in_handler => {
                self.in_handler = true;
                self.line("hang");
                self.line(&format!("on signal {name}"));
            }
            Passed::Signal { .. } => {}
            Passed::Exit { code } => {
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
        // Ids are looked for as they came: cleaned, they could not be known again.
        let mut bound = value.clone();
        self.bound.put_back(&mut bound);
        merge_bound(&mut clean, &bound, &value);
        match role {
            Role::Gone => {}
            Role::Plain => self.line(&format!("out {}", written(&clean))),
            Role::Put { pointer, text } => {
                put(&mut clean, pointer, text);
                self.line(&format!("out {}", written(&clean)));
            }
            Role::Each { list, pointer } => {
                put(&mut clean, pointer, "{{text}}");
                self.line(&format!("{{{{#each {list}}}}}"));
                self.line(&format!("out {}", written(&clean)));
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
    if let Some(place) = value.pointer_mut(pointer) {
        *place = Value::String(text.to_owned());
    }
}

/// Takes over what binding changed.
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

/// The answers to questions that are not about a run (`--version`, `--help`), by their arguments.
pub(super) fn probes<'a>(
    journals: impl Iterator<Item = &'a Journal>,
    answer: impl Fn(&Journal) -> String,
) -> BTreeMap<Vec<String>, String> {
    journals.map(|journal| (journal.arguments.clone(), answer(journal))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn out(line: &str) -> Passed {
        Passed::Stdout { line: line.to_owned() }
    }

    #[test]
    fn a_run_becomes_steps() {
        let known = Known {
            text: "Hello".to_owned(),
            prompt: "say hello".to_owned(),
            inputs: vec![serde_json::json!({"command": "echo 1"})],
            values: vec![
                ("say hello".to_owned(), "prompt"),
                ("Hello".to_owned(), "text"),
                ("echo 1".to_owned(), "tool_command"),
                ("s-77".to_owned(), "session_id"),
            ],
            ..Known::default()
        };
        let passed = vec![
            Passed::Stdin { line: r#"{"type":"user","uuid":"u","text":"say hello"}"#.to_owned() },
            out(r#"{"type":"init","session":"s-77"}"#),
            out(r#"{"type":"echo","uuid":"u","text":"say hello"}"#),
            out(r#"{"type":"arguments","part":"{\"command\":"}"#),
            out(r#"{"type":"arguments","part":"\"echo 1\"}"}"#),
            out(r#"{"type":"delta","text":"Hel"}"#),
            out(r#"{"type":"delta","text":"lo"}"#),
            Passed::Stderr { line: "see /home/alice/log".to_owned() },
            out(r#"{"type":"end","result":"Hello"}"#),
            Passed::Exit { code: Some(0) },
        ];
        let steps = template(&Journal { passed, ..Journal::default() }, &known);
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
        let sorted = |text: &str| -> Vec<String> { text.lines().map(sorted_members).collect() };
        assert_eq!(sorted(&steps), sorted(expected), "{steps}");
    }

    /// Members in the order of their names, so that the test does not depend on it.
    fn sorted_members(line: &str) -> String {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match serde_json::from_str::<BTreeMap<String, Value>>(rest) {
            Ok(members) => format!("{word} {members:?}"),
            Err(_) => line.to_owned(),
        }
    }

    #[test]
    fn what_a_tool_is_called_with_comes_in_one_piece() {
        let known = Known {
            inputs: vec![serde_json::json!({"path": "/home/alice/x"})],
            ..Known::default()
        };
        let passed = vec![
            out(r#"{"part":"{\"path\":\"/home/al"}"#),
            out(r#"{"part":"ice/x\"}"}"#),
            out("no json"),
        ];
        let lines = unsplit(&Journal { passed, ..Journal::default() }, &known);
        let whole = r#"{"part":"{\"path\":\"/home/alice/x\"}"}"#;
        assert_eq!(lines, [whole, r#"{"part":""}"#, "no json"]);
    }

    #[test]
    fn a_signal_begins_a_handler() {
        let passed = vec![
            out("plain text"),
            Passed::Signal { name: "SIGINT".to_owned() },
            out("bye"),
            Passed::Exit { code: Some(130) },
        ];
        let steps = template(&Journal { passed, ..Journal::default() }, &Known::default());
        assert_eq!(steps, "out plain text\nhang\non signal SIGINT\nout bye\nexit 130\nend\n");
    }
}
