//! Finds the lines that carry one text in fragments, or repeat it as it grows.

use std::collections::BTreeMap;

use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) lines: Vec<usize>,
    /// The JSON pointer of the fragment.
    pub(super) pointer: String,
}

/// The groups of lines with the text.
pub(super) struct Found {
    /// One fragment per line.
    pub(super) pieces: Vec<Group>,
    /// Each line has the whole text so far.
    pub(super) growing: Vec<Group>,
}

pub(super) fn find(lines: &[Option<Value>], text: &str) -> Found {
    let mut found = Found { pieces: Vec::new(), growing: Vec::new() };
    if text.is_empty() {
        return found;
    }
    for (pointer, members) in groups(lines, |piece| text.contains(piece)) {
        let parts: Vec<&str> = members.iter().map(|(_, part)| part.as_str()).collect();
        let group = Group { lines: members.iter().map(|(line, _)| *line).collect(), pointer };
        if parts.len() > 1 && parts.concat() == text {
            found.pieces.push(group);
        } else if parts.len() > 1 && is_growing(&parts, text) {
            found.growing.push(group);
        }
    }
    found
}

/// The groups of lines whose fragments are the JSON of this value.
pub(super) fn find_json(lines: &[Option<Value>], value: &Value) -> Vec<Group> {
    let is_it = |text: &str| serde_json::from_str::<Value>(text).is_ok_and(|it| it == *value);
    let mut found = Vec::new();
    for (pointer, members) in groups(lines, |_| true) {
        // The fragments of several calls may be in lines of the same shape.
        let mut start = 0;
        while start < members.len() {
            let mut text = String::new();
            let end = members[start..].iter().position(|(_, part)| {
                text.push_str(part);
                is_it(&text)
            });
            if let Some(end) = end {
                let lines = members[start..=start + end].iter().map(|(line, _)| *line).collect();
                found.push(Group { lines, pointer: pointer.clone() });
                start += end;
            }
            start += 1;
        }
    }
    found
}

fn is_growing(parts: &[&str], text: &str) -> bool {
    parts.windows(2).all(|pair| pair[1].starts_with(pair[0])) && parts.last() == Some(&text)
}

type Members = Vec<(usize, String)>;

/// Texts at the same pointer in lines that differ only in numbers and ids.
fn groups(lines: &[Option<Value>], is_wanted: impl Fn(&str) -> bool) -> Vec<(String, Members)> {
    let mut groups: BTreeMap<(String, String), Members> = BTreeMap::new();
    for (index, line) in lines.iter().enumerate() {
        let Some(line) = line else { continue };
        let mut texts = Vec::new();
        collect(line, "", &mut texts);
        for (pointer, text) in texts {
            if !text.is_empty() && is_wanted(&text) {
                let key = (pointer.clone(), skeleton(line, &pointer));
                groups.entry(key).or_default().push((index, text));
            }
        }
    }
    groups.into_iter().map(|((pointer, _), members)| (pointer, members)).collect()
}

fn collect(value: &Value, pointer: &str, texts: &mut Vec<(String, String)>) {
    match value {
        Value::String(text) => texts.push((pointer.to_owned(), text.clone())),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect(item, &format!("{pointer}/{index}"), texts);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                collect(member, &format!("{pointer}/{name}"), texts);
            }
        }
        _ => {}
    }
}

/// The line without the text at the pointer, numbers and ids.
fn skeleton(line: &Value, pointer: &str) -> String {
    let mut line = line.clone();
    if let Some(location) = line.pointer_mut(pointer) {
        *location = Value::Null;
    }
    blank(&mut line);
    line.to_string()
}

fn blank(value: &mut Value) {
    match value {
        Value::Number(_) => *value = Value::Null,
        Value::Array(items) => items.iter_mut().for_each(blank),
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                let name = name.to_lowercase();
                if member.is_string() && (name.ends_with("id") || name.contains("time")) {
                    *member = Value::Null;
                } else {
                    blank(member);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fragments_are_found_between_other_lines() {
        let lines = [
            Some(json!({"type": "delta", "uuid": "a", "n": 1, "text": "Hel"})),
            Some(json!({"type": "ping"})),
            None,
            Some(json!({"type": "delta", "uuid": "b", "n": 2, "text": "lo"})),
            Some(json!({"type": "whole", "text": "Hello"})),
        ];
        let found = find(&lines, "Hello");
        assert_eq!(found.pieces, [Group { lines: vec![0, 3], pointer: "/text".to_owned() }]);
        assert!(found.growing.is_empty());
        assert!(find(&lines, "").pieces.is_empty());
    }

    #[test]
    fn growing_text_is_not_fragments() {
        let line = |text: &str| Some(json!({"item": {"id": "x", "text": text}}));
        let found = find(&[line("Hel"), line("Hello")], "Hello");
        assert!(found.pieces.is_empty());
        assert_eq!(found.growing[0].lines, [0, 1]);
    }

    #[test]
    fn split_arguments_are_found_per_call() {
        let part = |text: &str| Some(json!({"type": "input", "part": text}));
        let lines = [part("{\"a\""), part(":1}"), part("{\"a\":"), part("2}")];
        assert_eq!(find_json(&lines, &json!({"a": 1}))[0].lines, [0, 1]);
        assert_eq!(find_json(&lines, &json!({"a": 2}))[0].lines, [2, 3]);
        assert!(find_json(&lines, &json!({"a": 3})).is_empty());
    }
}
