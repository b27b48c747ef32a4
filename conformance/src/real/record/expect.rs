//! A line from the adapter becomes a pattern: the words that say what it is, the prompt, and the
//! ids that the agent CLI says again later. Everything else may differ next time.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// Members that say what an object is, wherever they stand.
const KIND_MEMBERS: &[&str] = &["type", "subtype", "method", "t", "kind"];

/// The longest word that says what a line is.
const WORD_LIMIT: usize = 40;

/// Ids that were bound, with the names of their placeholders.
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

    /// Puts placeholders for bound ids into a line of the agent CLI.
    pub(super) fn put_back(&self, value: &mut Value) {
        match value {
            Value::Object(members) => {
                for (name, member) in members.iter_mut() {
                    let bound = self.ids.get(&member.to_string()).filter(|_| is_id(name));
                    match bound {
                        Some((Value::String(_), bound)) => {
                            *member = json!(format!("{{{{{bound}}}}}"))
                        }
                        // A number stays a number: the quotes are taken off again.
                        Some((_, bound)) => *member = json!(format!("{BARE}{bound}")),
                        None => self.put_back(member),
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.put_back(item)),
            _ => {}
        }
    }
}

/// What marks a placeholder that stands without quotes.
const BARE: &str = "\u{1}bare:";

/// Writes a line; placeholders of numbers lose their quotes.
pub(super) fn written(value: &Value) -> String {
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

/// The pattern of a line; `None` when nothing in it says what it is.
pub(super) fn pattern(
    line: &Value,
    prompt: &str,
    later: &[Value],
    bound: &mut Bound,
) -> Option<Value> {
    let mut maker = Maker { prompt, later, bound };
    maker.object(line.as_object()?, true)
}

struct Maker<'a> {
    prompt: &'a str,
    later: &'a [Value],
    bound: &'a mut Bound,
}

impl Maker<'_> {
    fn object(&mut self, members: &Map<String, Value>, is_top: bool) -> Option<Value> {
        let mut kept = Map::new();
        for (name, member) in members {
            let pattern = match member {
                Value::String(text) if *text == self.prompt => Some(json!("{{?prompt}}")),
                Value::String(_) | Value::Number(_)
                    if is_id(name) && self.is_said_later(member) =>
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

    /// A list is kept for the prompt in it; its other elements may be anything.
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

    fn is_said_later(&self, id: &Value) -> bool {
        self.later.iter().any(|line| says(line, id))
    }
}

fn says(value: &Value, id: &Value) -> bool {
    match value {
        Value::Object(members) => {
            members.iter().any(|(name, member)| (is_id(name) && member == id) || says(member, id))
        }
        Value::Array(items) => items.iter().any(|item| says(item, id)),
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
    !text.is_empty() && text.len() <= WORD_LIMIT && text.chars().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_binds_its_id_and_its_prompt() {
        let line = json!({"jsonrpc": "2.0", "id": 3, "method": "prompt",
            "params": {"sessionId": "s", "prompt": [{"type": "text", "text": "hi there"}, {"x": 1}]}});
        let later = [json!({"id": 3, "result": {}})];
        let mut bound = Bound::default();
        let pattern = pattern(&line, "hi there", &later, &mut bound).expect("a pattern");
        let expected = json!({"jsonrpc": "2.0", "id": "{{?id_1}}", "method": "prompt",
            "params": {"prompt": [{"type": "text", "text": "{{?prompt}}"}, "{{*}}"]}});
        assert_eq!(pattern, expected);
        let mut answer = later[0].clone();
        bound.put_back(&mut answer);
        assert_eq!(written(&answer), r#"{"id":{{id_1}},"result":{}}"#);
    }

    #[test]
    fn text_ids_keep_their_quotes_and_unknown_members_are_left_out() {
        let line =
            json!({"type": "user", "uuid": "u-1", "message": {"content": "free text, long"}});
        let mut bound = Bound::default();
        let later = [json!({"uuid": "u-1"})];
        let pattern = pattern(&line, "hi", &later, &mut bound).expect("a pattern");
        assert_eq!(pattern, json!({"type": "user", "uuid": "{{?id_1}}"}));
        let mut echo = later[0].clone();
        bound.put_back(&mut echo);
        assert_eq!(written(&echo), r#"{"uuid":"{{id_1}}"}"#);
    }
}
