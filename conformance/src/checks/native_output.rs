//! Queries about the output that a script makes the fake CLI print, so that checks can compare
//! events with it. Contains no check.

use serde_json::Value;

use crate::fake_cli::{Script, Step};
use crate::pack::Values;

/// Returns the printed lines with their positions in the script.
pub(super) fn lines(script: &Script) -> impl Iterator<Item = (usize, &str)> {
    script.steps.iter().enumerate().filter_map(|(index, step)| match step {
        Step::Out { text, .. } => Some((index, text.as_str())),
        _ => None,
    })
}

/// Returns the part of a text that JSON writes unchanged and that occurs nowhere else: its longest
/// run of ASCII letters and digits.
pub(super) fn mark_of(text: &str) -> String {
    let words = text.split(|character: char| !character.is_ascii_alphanumeric());
    words.max_by_key(|word| word.len()).unwrap_or_default().to_owned()
}

/// Returns the first step that prints a part of the answer.
pub(super) fn first_answer_line(script: &Script, values: &Values) -> Option<usize> {
    first_line_with(script, &values.deltas)
}

/// Returns the last step that prints a part of a thought.
pub(super) fn last_thought_line(script: &Script, values: &Values) -> Option<usize> {
    let marks: Vec<String> = values.thinking_deltas.iter().map(|text| mark_of(text)).collect();
    let found = lines(script).filter(|(_, line)| marks.iter().any(|mark| line.contains(mark)));
    found.map(|(index, _)| index).last()
}

/// Returns the first step that prints one of these texts.
pub(super) fn first_line_with(script: &Script, texts: &[String]) -> Option<usize> {
    let marks: Vec<String> = texts.iter().map(|text| mark_of(text)).collect();
    let found = |line: &str| marks.iter().any(|mark| !mark.is_empty() && line.contains(mark));
    lines(script).find(|(_, line)| found(line)).map(|(index, _)| index)
}

/// Returns the last step that prints this text.
pub(super) fn last_line_with(script: &Script, text: &str) -> Option<usize> {
    let mark = mark_of(text);
    lines(script).filter(|(_, line)| line.contains(&mark)).map(|(index, _)| index).last()
}

/// Whether the line that prints the answer is JSON, so that it can contain any text.
pub(super) fn prints_json(script: &Script, values: &Values) -> bool {
    let line = first_answer_line(script, values).and_then(|index| match &script.steps[index] {
        Step::Out { text, .. } => Some(text),
        _ => None,
    });
    line.is_some_and(|line| serde_json::from_str::<Value>(line).is_ok())
}

/// Whether the script prints on stdout, and not as events of a server.
pub(super) fn prints_on_stdout(script: &Script) -> bool {
    !script.steps.iter().any(|step| matches!(step, Step::Listen { .. }))
}

/// Returns the JSON of every line that contains this text.
pub(super) fn json_with(script: &Script, text: &str) -> Vec<Value> {
    let mark = mark_of(text);
    lines(script)
        .filter(|(_, line)| line.contains(&mark))
        .filter_map(|(_, line)| serde_json::from_str(line).ok())
        .collect()
}

/// Returns every text in a value, at any depth.
pub(super) fn texts_in(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts_in).collect(),
        Value::Object(members) => members.values().flat_map(texts_in).collect(),
        _ => Vec::new(),
    }
}

/// Returns every integer in a value, at any depth.
pub(super) fn integers_in(value: &Value) -> Vec<i64> {
    match value {
        Value::Number(number) => number.as_i64().into_iter().collect(),
        Value::Array(items) => items.iter().flat_map(integers_in).collect(),
        Value::Object(members) => members.values().flat_map(integers_in).collect(),
        _ => Vec::new(),
    }
}

/// Returns the values of every member with one of these names, at any depth.
pub(super) fn members_named<'a>(value: &'a Value, names: &[&str]) -> Vec<&'a Value> {
    match value {
        Value::Array(items) => items.iter().flat_map(|item| members_named(item, names)).collect(),
        Value::Object(members) => members
            .iter()
            .flat_map(|(name, member)| {
                let own = names.contains(&name.as_str()).then_some(member);
                own.into_iter().chain(members_named(member, names))
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Changes the first integer member with one of these names; `false` if there is none.
pub(super) fn set_integer(value: &mut Value, names: &[&str], number: i64) -> bool {
    match value {
        Value::Array(items) => items.iter_mut().any(|item| set_integer(item, names, number)),
        Value::Object(members) => members.iter_mut().any(|(name, member)| {
            if names.contains(&name.as_str()) && member.is_i64() {
                *member = number.into();
                return true;
            }
            set_integer(member, names, number)
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_found_at_any_depth() {
        let mut value = json!({"a": [{"name": "Bash", "exit": 3}], "n": 1.5, "t": "x"});
        assert_eq!(texts_in(&value), ["Bash", "x"]);
        assert_eq!(integers_in(&value), [3]);
        assert_eq!(members_named(&value, &["name"]), [&json!("Bash")]);
        assert!(set_integer(&mut value, &["exit"], 7));
        assert_eq!(value["a"][0]["exit"], 7);
    }

    #[test]
    fn mark_is_longest_plain_word() {
        assert_eq!(mark_of("output «abcdefghij» end"), "abcdefghij");
    }
}
