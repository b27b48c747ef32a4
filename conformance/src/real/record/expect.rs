//! Turns a line from the adapter into a pattern: its kind, the prompt, and the ids that the agent
//! CLI repeats later. Everything else may differ next time.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// Members that name the kind of an object.
const KIND_MEMBERS: &[&str] = &["type", "subtype", "method", "t", "kind"];

/// The maximum length of a name of a kind.
const MAX_KIND_CHARS: usize = 40;

/// Bound ids with their placeholders.
#[derive(Debug, Clone, Default)]
pub(super) struct Bound {
    ids: BTreeMap<String, (Value, String)>,
}

impl Bound {
    /// Binds an id; the same id keeps its name.
    fn bind(&mut self, id: &Value) -> String {
        let next = format!("id_{}", self.ids.len() + 1);
        self.ids.entry(id.to_string()).or_insert_with(|| (id.clone(), next)).1.clone()
    }

    /// Replaces bound ids in a line of the agent CLI by their placeholders.
    pub(super) fn insert_placeholders(&self, value: &mut Value) {
        match value {
            Value::Object(members) => {
                for (name, member) in members.iter_mut() {
                    let bound = self.ids.get(&member.to_string()).filter(|_| is_id(name));
                    match bound {
                        Some((Value::String(_), bound)) => {
                            *member = json!(format!("{{{{{bound}}}}}"))
                        }
                        // A number stays a number: its placeholder loses the quotes later.
                        Some((_, bound)) => *member = json!(format!("{BARE}{bound}")),
                        None => self.insert_placeholders(member),
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.insert_placeholders(item)),
            _ => {}
        }
    }
}

/// Marks a placeholder without quotes.
const BARE: &str = "\u{1}bare:";

/// Formats a line; placeholders of numbers lose their quotes.
pub(super) fn format_line(value: &Value) -> String {
    let text = value.to_string();
    let mark = format!("\"{}", BARE.replace('\u{1}', "\\u0001"));
    let mut parts = text.split(mark.as_str());
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once('"').unwrap_or((part, ""));
        out.push_str(&format!("{{{{{name}}}}}{rest}"));
    }
    out
}

/// The pattern of a line; `None` when no member names its kind.
pub(super) fn pattern(
    line: &Value,
    prompt: &str,
    later: &[Value],
    bound: &mut Bound,
) -> Option<Value> {
    let mut maker = PatternBuilder { prompt, later, bound };
    maker.object(line.as_object()?, true)
}

struct PatternBuilder<'a> {
    prompt: &'a str,
    later: &'a [Value],
    bound: &'a mut Bound,
}

impl PatternBuilder<'_> {
    fn object(&mut self, members: &Map<String, Value>, is_top: bool) -> Option<Value> {
        let mut kept = Map::new();
        for (name, member) in members {
            let pattern = match member {
                Value::String(text) if *text == self.prompt => Some(json!("{{?prompt}}")),
                Value::String(_) | Value::Number(_)
                    if is_id(name) && self.is_repeated_later(member) =>
                {
                    let bound = self.bound.bind(member);
                    Some(json!(format!("{{{{?{bound}}}}}")))
                }
                Value::String(text)
                    if is_word(text) && (is_top || is_kind(name)) && !is_id(name) =>
                {
                    Some(member.clone())
                }
                Value::Object(inner) => self.object(inner, false),
                Value::Array(items) => self.array(items),
                _ => None,
            };
            kept.extend(pattern.map(|pattern| (name.clone(), pattern)));
        }
        (!kept.is_empty()).then_some(Value::Object(kept))
    }

    /// A list is kept if it contains the prompt; its other elements match anything.
    fn array(&mut self, items: &[Value]) -> Option<Value> {
        let has_prompt = |item: &Value| item.to_string().contains("{{?prompt}}");
        let patterns: Vec<Value> = items
            .iter()
            .map(|item| match item {
                Value::Object(members) => self.object(members, false).filter(&has_prompt),
                Value::String(text) if *text == self.prompt => Some(json!("{{?prompt}}")),
                _ => None,
            })
            .map(|pattern| pattern.unwrap_or_else(|| json!("{{*}}")))
            .collect();
        patterns.iter().any(has_prompt).then_some(Value::Array(patterns))
    }

    fn is_repeated_later(&self, id: &Value) -> bool {
        self.later.iter().any(|line| contains_id(line, id))
    }
}

fn contains_id(value: &Value, id: &Value) -> bool {
    match value {
        Value::Object(members) => members
            .iter()
            .any(|(name, member)| (is_id(name) && member == id) || contains_id(member, id)),
        Value::Array(items) => items.iter().any(|item| contains_id(item, id)),
        _ => false,
    }
}

fn is_kind(name: &str) -> bool {
    KIND_MEMBERS.contains(&name)
}

fn is_id(name: &str) -> bool {
    let name = name.to_lowercase();
    name == "id"
        || name == "uuid"
        || name.ends_with("_id")
        || name.ends_with("id") && name.len() > 4
}

fn is_word(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    !text.is_empty() && text.len() <= MAX_KIND_CHARS && text.chars().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_binds_id_and_prompt() {
        let line = json!({"jsonrpc": "2.0", "id": 3, "method": "prompt",
            "params": {"sessionId": "s", "prompt": [{"type": "text", "text": "hi there"}, {"x": 1}]}});
        let later = [json!({"id": 3, "result": {}})];
        let mut bound = Bound::default();
        let pattern = pattern(&line, "hi there", &later, &mut bound).expect("a pattern");
        let expected = json!({"jsonrpc": "2.0", "id": "{{?id_1}}", "method": "prompt",
            "params": {"prompt": [{"type": "text", "text": "{{?prompt}}"}, "{{*}}"]}});
        assert_eq!(pattern, expected);
        let mut answer = later[0].clone();
        bound.insert_placeholders(&mut answer);
        assert_eq!(format_line(&answer), r#"{"id":{{id_1}},"result":{}}"#);
    }

    #[test]
    fn text_ids_are_quoted_unknown_members_dropped() {
        let line =
            json!({"type": "user", "uuid": "u-1", "message": {"content": "free text, long"}});
        let mut bound = Bound::default();
        let later = [json!({"uuid": "u-1"})];
        let pattern = pattern(&line, "hi", &later, &mut bound).expect("a pattern");
        assert_eq!(pattern, json!({"type": "user", "uuid": "{{?id_1}}"}));
        let mut echo = later[0].clone();
        bound.insert_placeholders(&mut echo);
        assert_eq!(format_line(&echo), r#"{"uuid":"{{id_1}}"}"#);
    }
}
