//! Patterns of lines and the placeholders they bind.
//!
//! A pattern is JSON. An object matches when each of its members matches (more are allowed), a list
//! when it has as many elements and each matches. `"{{?name}}"` matches anything and binds it,
//! `"{{*}}"` matches anything, every other value matches itself. A pattern that is a string matches
//! a line that contains it.

use std::collections::BTreeMap;

use serde_json::Value;

/// Values by placeholder.
pub type Bindings = BTreeMap<String, Value>;

/// Matches a line; returns what it binds.
pub fn fit_line(pattern: &Value, line: &str) -> Option<Bindings> {
    let mut bindings = Bindings::new();
    let fits = match pattern {
        Value::String(text) => line.contains(text.as_str()),
        _ => serde_json::from_str(line).is_ok_and(|value| fit(pattern, &value, &mut bindings)),
    };
    fits.then_some(bindings)
}

fn fit(pattern: &Value, value: &Value, bindings: &mut Bindings) -> bool {
    match (pattern, value) {
        (Value::String(text), _) if text == "{{*}}" => true,
        (Value::String(text), _) if binder(text).is_some() => {
            bindings.extend(binder(text).map(|name| (name.to_owned(), value.clone())));
            true
        }
        (Value::Object(wanted), Value::Object(there)) => wanted
            .iter()
            .all(|(name, inner)| there.get(name).is_some_and(|found| fit(inner, found, bindings))),
        (Value::Array(wanted), Value::Array(there)) => {
            wanted.len() == there.len()
                && wanted.iter().zip(there).all(|(inner, found)| fit(inner, found, bindings))
        }
        _ => pattern == value,
    }
}

/// Matches a text that is not a line, such as a segment of a path.
pub fn fit_text(pattern: &str, text: &str, bindings: &mut Bindings) -> bool {
    fit(&Value::from(pattern), &Value::from(text), bindings)
}

/// Makes every string with an unfilled placeholder match anything.
pub fn loosen(pattern: &mut Value) {
    match pattern {
        Value::String(text) if text.contains("{{") && binder(text).is_none() => {
            *text = "{{*}}".to_owned();
        }
        Value::Array(items) => items.iter_mut().for_each(loosen),
        Value::Object(members) => members.values_mut().for_each(loosen),
        _ => {}
    }
}

fn binder(text: &str) -> Option<&str> {
    text.strip_prefix("{{?")?.strip_suffix("}}")
}

/// The names a pattern binds.
pub fn bound_names(pattern: &Value, names: &mut Vec<String>) {
    match pattern {
        Value::String(text) => names.extend(binder(text).map(str::to_owned)),
        Value::Array(items) => items.iter().for_each(|item| bound_names(item, names)),
        Value::Object(members) => members.values().for_each(|member| bound_names(member, names)),
        _ => {}
    }
}

/// Fills `{{name}}` with bound values; other placeholders stay as they are. In a line of JSON a
/// value inside quotes is escaped and a bare one is written as JSON; in other text it is plain.
pub fn fill(text: &str, bindings: &Bindings) -> String {
    let start = text.trim_start();
    let is_json = start.starts_with(['{', '[']) && !start.starts_with("{{");
    let mut filled = String::with_capacity(text.len());
    let (mut rest, mut in_string) = (text, false);
    while let Some(start) = rest.find("{{") {
        let (before, from_mark) = rest.split_at(start);
        in_string = string_state(before, in_string);
        filled.push_str(before);
        let found = from_mark[2..].find("}}").and_then(|end| {
            let value = bindings.get(from_mark[2..2 + end].trim())?;
            Some((value, end + 4))
        });
        let (piece, used) = match found {
            Some((value, used)) => (format_value(value, is_json, in_string), used),
            None => ("{{".to_owned(), 2),
        };
        filled.push_str(&piece);
        rest = &from_mark[used..];
    }
    filled.push_str(rest);
    filled
}

/// Fills the placeholders in every string of a value.
pub fn fill_value(value: &mut Value, bindings: &Bindings) {
    match value {
        Value::String(text) => {
            let whole = text.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
            *value = match whole.and_then(|name| bindings.get(name)) {
                Some(bound) => bound.clone(),
                None => Value::String(fill(text, bindings)),
            };
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill_value(item, bindings)),
        Value::Object(members) => {
            members.values_mut().for_each(|member| fill_value(member, bindings));
        }
        _ => {}
    }
}

fn format_value(value: &Value, is_json: bool, in_string: bool) -> String {
    let plain = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match (is_json, in_string) {
        (true, true) => {
            let quoted = Value::String(plain).to_string();
            quoted[1..quoted.len() - 1].to_owned()
        }
        (true, false) => value.to_string(),
        (false, _) => plain,
    }
}

/// Whether the text ends inside a JSON string.
fn string_state(text: &str, mut in_string: bool) -> bool {
    let mut escaped = false;
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ => {}
        }
    }
    in_string
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn object_matches_by_members_and_binds() {
        let pattern = json!({"type": "control_request", "request_id": "{{?id}}"});
        let line = r#"{"type":"control_request","request_id":"r1","more":1}"#;
        let bindings = fit_line(&pattern, line).expect("the line fits");
        assert_eq!(bindings["id"], json!("r1"));
        assert!(fit_line(&pattern, r#"{"type":"user","request_id":"r1"}"#).is_none());
        assert!(fit_line(&pattern, "no json").is_none());
    }

    #[test]
    fn values_are_escaped_for_their_position() {
        let bindings = Bindings::from([
            ("id".to_owned(), json!(7)),
            ("word".to_owned(), json!("a \"quoted\" line\n")),
        ]);
        let text = r#"{"id":{{id}},"as_text":"{{id}}","w":"{{word}}","bare":{{word}},"x":"{{y}}"}"#;
        let filled = fill(text, &bindings);
        assert_eq!(
            filled,
            r#"{"id":7,"as_text":"7","w":"a \"quoted\" line\n","bare":"a \"quoted\" line\n","x":"{{y}}"}"#
        );
        assert_eq!(fill("plain {{word}}", &bindings), "plain a \"quoted\" line\n");
        assert_eq!(fill("{{word}}", &bindings), "a \"quoted\" line\n");
    }
}
